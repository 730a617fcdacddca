"""`make docs`: the documentation as a site, which the program serves at `/docs/`."""
