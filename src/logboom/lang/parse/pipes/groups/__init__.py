"""Pipes that group and aggregate."""
