"""What people keep: saved queries, alerts, links, lookup tables, sources."""
