"""Pipes: each in its own file, as partial (one block), merge, and finish; all listed in PIPES."""

from logboom.engine.pipes.stats import Stats
from logboom.lang import ast

PIPES: dict[type[ast.Pipe], type[Stats]] = {ast.Stats: Stats}
