"""Generic HTTP: bodies, parameters, errors; independent of what requests mean."""
