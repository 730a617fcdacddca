"""The single entry point for events: whatever the protocol, they pass through the sink."""
