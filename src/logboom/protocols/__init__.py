"""The ways in over HTTP: one short file for each protocol, all of them writing through the one sink."""
