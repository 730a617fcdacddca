"""Earlier answers, for requests that are repeated with the same key."""
