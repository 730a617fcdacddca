"""Execution: plans a request, runs it on blocks, merges the partial results."""
