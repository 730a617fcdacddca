"""Kusto, the query language of Azure Monitor, Sentinel and Data Explorer, read into our tree."""
