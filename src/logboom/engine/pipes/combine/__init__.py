"""Pipes that add rows from elsewhere: other queries, lookups, neighbouring events, an earlier time."""
