"""The search engine's API: bulk requests, single documents and its answers."""
