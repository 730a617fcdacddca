"""Tools for agents: the MCP endpoint, its tools, and the bridge for clients that use standard input and output."""
