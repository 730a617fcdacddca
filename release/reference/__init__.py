"""The pages of `docs/reference`, made from the tables of the program: `make docs` writes them, a test compares them."""
