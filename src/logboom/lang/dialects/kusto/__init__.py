"""Kusto, the query language of Azure Monitor, Sentinel and Data Explorer, translated to our syntax tree."""
