"""The search engine's API for reading: searches, aggregations, scrolling, and what clients ask about indexes."""
