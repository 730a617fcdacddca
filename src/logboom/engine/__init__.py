"""The query engine: each block is mapped to a small partial result, and these are merged."""
