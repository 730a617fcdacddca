"""Names in a store that more than one part of the program knows."""

LOG_FOLDER = "_delta_log"
"""The catalog's log."""
CONTROL_NOTE = "_control"
"""An object in that folder, written again after every change of a control document that nodes keep in memory.

So one listing of the end of the log shows both new commits and changed documents.
"""
