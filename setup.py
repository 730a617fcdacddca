"""Builds the compiled parts when a C compiler is present; without one their pure-Python twins serve."""

from pathlib import Path

from setuptools import Extension, setup

PACKAGE = Path("src/logboom")


def compile_module(path: str, *included: Path) -> Extension:
    """A module that may be missing; `included` are the files that make it up beside its own."""
    return Extension(
        f"logboom.{path.replace('/', '.')}",
        [str(PACKAGE / f"{path}.pyx")],
        depends=[str(file) for file in included],
        extra_compile_args=["-O3", "-g0"],
        optional=True,
    )


setup(
    ext_modules=[
        compile_module("model/_native", *PACKAGE.glob("model/native/*.[ph]*")),
        compile_module("protocols/_wire"),
        compile_module("sources/syslog/_receive"),
    ]
)
