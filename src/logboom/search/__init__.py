"""The single entry point for queries: takes a principal and a question, returns an answer."""
