"""LogQL, the language of Loki: log queries become filters and pipes, metric queries charts and tables."""
