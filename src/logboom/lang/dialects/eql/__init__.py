"""EQL: event queries are translated; sequences only for the suggestion."""
