"""Where objects are kept: a directory or a bucket."""
