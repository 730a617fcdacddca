"""Access: authentication and authorisation."""
