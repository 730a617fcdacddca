"""Pull sources: finds files, reads them as they grow, and follows them through rotation.

`discover` finds files, `identity` recognises them, `streams` decompresses them, `cutting` and `reading` make whole
events of their bytes, `poll` delivers these, `supervisor` decides when.
"""
