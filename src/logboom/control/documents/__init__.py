"""Documents: sealed, versioned by generation, with a typed copy in memory."""
