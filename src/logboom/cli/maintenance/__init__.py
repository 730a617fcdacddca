"""Commands that examine, back up and repair a data directory."""
