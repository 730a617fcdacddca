"""Alerts at work: what one check asks, what checks would have found in the past, and who checks when."""
