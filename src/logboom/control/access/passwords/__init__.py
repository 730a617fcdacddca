"""Passwords: hashes and strength rules."""
