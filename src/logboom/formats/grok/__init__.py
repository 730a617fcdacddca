"""Grok: fields by pattern. The library of patterns, the presets, and the reader of format `grok`."""
