"""Builds the compiled parts, and refuses a package that would lack them, the pages or the documentation.

`LOGBOOM_PURE_PYTHON=1` builds without the compiled parts. Their Python twins are used then, several times slower, and
every start warns about it.
"""

import os
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.errors import BaseError, CCompilerError, SetupError

PACKAGE = Path("src/logboom")
MADE = {"pages": PACKAGE / "ui/pages/index.html", "docs": PACKAGE / "ui/site/index.html"}
"""What must be built before a package: the first file of each."""
PURE = os.environ.get("LOGBOOM_PURE_PYTHON", "") not in {"", "0"}


class CompileAll(build_ext):
    """Says what to do if there is no compiler, instead of only which command failed."""

    def build_extension(self, ext: Extension) -> None:
        try:
            super().build_extension(ext)
        except (BaseError, CCompilerError, OSError) as error:
            raise SetupError(
                f"{ext.name} cannot be compiled: {error}. Install a C compiler and the headers of Python "
                "(Debian: gcc, python3-dev), or set LOGBOOM_PURE_PYTHON=1 for a slow build without compiled code."
            ) from error


class CopyPages(build_py):
    """An editable package uses the pages where they are built; any other must contain them."""

    def run(self) -> None:
        if not self.editable_mode:
            require_pages()
        super().run()


class PackSource(sdist):
    """A source package contains the built pages, so that installing it needs no Node."""

    def run(self) -> None:
        require_pages()
        super().run()


def require_pages() -> None:
    for name, first in MADE.items():
        if not first.is_file():
            raise SetupError(
                f"the {name} are not built ({first} is missing): 'make wheel' builds all that is needed, "
                "which takes Node 20.19 or newer"
            )


def compile_module(path: str, *included: Path) -> Extension:
    """`included` are the files that it consists of beside its own."""
    return Extension(
        f"logboom.{path.replace('/', '.')}",
        [str(PACKAGE / f"{path}.pyx")],
        depends=[str(file) for file in included],
        extra_compile_args=["-O3", "-g0"],
    )


MODULES = [
    compile_module("model/_native", *sorted(PACKAGE.glob("model/native/*.[ph]*"))),
    compile_module("protocols/_wire"),
    compile_module("sources/syslog/_receive"),
]

setup(
    ext_modules=[] if PURE else MODULES,
    cmdclass={"build_ext": CompileAll, "build_py": CopyPages, "sdist": PackSource},
)
