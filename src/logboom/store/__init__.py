"""Where events are stored: write-ahead log, buffer, immutable blocks, and the catalog that names them."""
