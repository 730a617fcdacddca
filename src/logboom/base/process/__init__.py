"""The process: its allocators, log, threads and background tasks."""
