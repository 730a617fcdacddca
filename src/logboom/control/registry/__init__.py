"""The registry: environments, settings, and the nodes that share a store."""
