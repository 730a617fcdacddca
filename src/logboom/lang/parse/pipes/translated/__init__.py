"""Pipes of other languages that are translated to pipes of this one."""
