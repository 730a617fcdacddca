"""The tools for agents, one family per file."""
