"""Integrity: the files of blocks are checked, damaged ones are set aside, and lost indexes are rebuilt."""
