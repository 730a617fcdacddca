"""Signing in, and the credentials of people and programs."""
