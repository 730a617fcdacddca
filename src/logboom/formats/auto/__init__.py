"""Format `auto`: which format a text has, judged by its beginning, and how log lines of no format are read."""
