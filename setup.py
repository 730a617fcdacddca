"""Builds the compiled shredder when a C compiler is present; without one the pure-Python twin serves."""

from pathlib import Path

from setuptools import Extension, setup

MODEL = Path("src/logboom/model")

setup(
    ext_modules=[
        Extension(
            "logboom.model._native",
            [str(MODEL / "_native.pyx")],
            depends=[str(path) for path in MODEL.glob("native/*.pxi")],
            extra_compile_args=["-O3"],
            optional=True,
        )
    ]
)
