"""Builds releases: wheels, the source package, one-file executables, Debian packages, bills of materials."""
