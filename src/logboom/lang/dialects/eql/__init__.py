"""EQL is not supported, because log lines may contain it as text; a query is translated for the suggestion."""
