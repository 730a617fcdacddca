"""Where events are kept: write-ahead log, buffer, immutable blocks, and the catalog that names them."""
