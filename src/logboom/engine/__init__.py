"""The query engine: each block is mapped to a small partial result, the partials are merged."""
