"""Formats that only `auto` reads: logs of databases, firewalls, clouds and operating systems. All are in KINDS."""
