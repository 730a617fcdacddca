"""Measurements of the real server, over HTTP, as a separate process: `python -m bench`.

Never a test: a slow machine changes the figures, only a wrong answer makes it fail.
"""
