"""Operating the service: environments, sources, settings, status and maintenance."""
