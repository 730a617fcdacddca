"""Pull sources: files that are looked for, read as they grow, and followed through their rotation.

`discover` finds files, `identity` knows them again, `streams` undoes their compression, `cutting` and
`reading` make whole events of their bytes, `poll` delivers these, `supervisor` says when.
"""
