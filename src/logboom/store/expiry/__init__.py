"""Removal of expired blocks and of files that nobody needs."""
