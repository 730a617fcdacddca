"""SQL is not supported, because log lines contain it as text; a plain SELECT is translated for the suggestion."""
