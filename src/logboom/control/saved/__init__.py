"""What users save: queries, alerts, dashboards, links, lookup tables, sources."""
