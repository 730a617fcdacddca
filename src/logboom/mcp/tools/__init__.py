"""What agents can do, one family of tools a file."""
