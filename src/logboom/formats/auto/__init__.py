"""Format `auto`: detects the format of a text from its beginning, and parses log lines of unknown programs."""
