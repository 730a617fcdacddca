"""Go templates and their functions, as expressions."""
