"""Pipes that choose, name or fill columns."""
