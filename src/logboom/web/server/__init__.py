"""The HTTP server: its socket, its connections and TLS."""
