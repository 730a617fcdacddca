"""The one way in: whatever the protocol, events pass through the sink."""
