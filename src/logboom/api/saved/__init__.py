"""What people save: queries, dashboards, links and lookup tables."""
