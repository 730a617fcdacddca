"""SQL is not read, as a statement in a log line looks the same; a plain SELECT is translated for the suggestion."""
