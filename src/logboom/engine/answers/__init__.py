"""Answers: everything that the engine gives out, each in its own file."""
