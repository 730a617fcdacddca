"""The lowest layer: errors, clock, files, logs, metrics and background tasks; knows nothing about events or HTTP."""
