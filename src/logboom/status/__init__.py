"""The status of the service and of the nodes that share its store."""
