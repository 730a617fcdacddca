"""Makes what is released: wheels, the source package, one-file executables, Debian packages, lists of what is inside."""
