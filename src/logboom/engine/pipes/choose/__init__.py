"""Pipes that choose and order rows."""
