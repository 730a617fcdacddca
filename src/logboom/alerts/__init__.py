"""Alerts: checks, previews, notifications, and which node does them."""
