"""Pipes that bring in rows from elsewhere: other queries, lookups, surroundings, an earlier time."""
