"""Passwords: their hashes, and which are too easy to guess."""
