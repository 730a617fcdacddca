"""Answers: the results that the engine returns, one file per kind."""
