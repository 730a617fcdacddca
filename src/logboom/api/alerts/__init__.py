"""Alerts, their history and preview, and the channels that they are sent to."""
