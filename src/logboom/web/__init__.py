"""HTTP in general: bodies, parameters, errors; nothing here knows what the requests mean."""
