"""Notifications: their content, their form for each receiver, and how they are sent."""
