"""Sources: the ways in that are no HTTP request. The service listens for them, or looks for them, itself."""
