"""The write-ahead log: what is acknowledged is in it."""
