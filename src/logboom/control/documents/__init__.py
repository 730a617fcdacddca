"""Documents: sealed, in generations, with a typed copy in memory."""
