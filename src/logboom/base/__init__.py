"""The floor: errors, clock, files, logs, metrics and background tasks; knows nothing of logs or HTTP."""
