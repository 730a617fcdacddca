"""The systemd journal, as systemd-journal-upload sends it."""
