"""Tools for agents: the MCP endpoint, what it offers, and the bridge for clients that speak over standard input."""
