"""Endpoints that read events: search, histograms, fields, exports and tails."""
