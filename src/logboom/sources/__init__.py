"""Sources: events that do not come by HTTP requests. The service listens for them, or polls for them."""
