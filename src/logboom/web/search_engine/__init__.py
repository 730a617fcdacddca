"""What the search engine's API has in common for writing and reading: its errors, and `filter_path`."""
