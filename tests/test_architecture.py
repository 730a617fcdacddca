"""The rules of the house that no tool checks: sizes, the synchronous core, complete tables."""

import ast as python
import itertools
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple, get_args

import pytest
from tests.together import together

from logboom.engine.filters import BUILDERS
from logboom.engine.filters.skip import CHECKS
from logboom.engine.pipes import PIPES as ENGINE_PIPES
from logboom.engine.terms.bound import Values, Within
from logboom.lang import ast
from logboom.lang.format import FORMATS
from logboom.lang.parse.pipes import PIPES

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "logboom"
MAX_FILE_LINES = 500
MAX_TEST_FILE_LINES = 800
MAX_FUNCTION_LINES = 60
MAX_DOCSTRING_LINES = 5
SYNCHRONOUS = ("base", "model", "store", "lang", "engine", "control", "saml", "search")
MAY_BE_ASYNCHRONOUS = {
    *("base/process/tasks.py", "base/process/offload.py"),
    *("engine/cluster/scheduler.py", "engine/cluster/worker.py"),
}
FORBIDDEN_NAMES = {"utils", "util", "helpers", "common", "misc", "manager", "impl"}

ABOVE = "\u203a"

FILES = sorted(SOURCE.rglob("*.py"))
SOURCES = sorted(itertools.chain(FILES, SOURCE.rglob("*.pyx"), SOURCE.rglob("*.pxd")))
FILTERS = set(get_args(ast.Filter))
PIPE_NODES = set(get_args(ast.Pipe)) or {ast.Pipe}

FUNCTIONS = (python.FunctionDef, python.AsyncFunctionDef)
ASYNCHRONOUS = (python.AsyncFunctionDef, python.Await, python.AsyncFor, python.AsyncWith)


def name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


class Facts(NamedTuple):
    """What the rules ask about a module."""

    docstring: str | None
    long_functions: list[str]
    is_asynchronous: bool


@cache
def find_facts(path: Path) -> Facts:
    text = path.read_text()
    tree = python.parse(text)
    nodes = list(python.walk(tree))
    long_functions = [
        node.name
        for node in nodes
        if isinstance(node, FUNCTIONS)
        and (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES
    ]
    is_asynchronous = any(isinstance(node, ASYNCHRONOUS) for node in nodes)
    imports_asyncio = re.search(r"^\s*(import|from) asyncio", text, re.MULTILINE) is not None
    return Facts(python.get_docstring(tree), long_functions, is_asynchronous or imports_asyncio)


each_file = together("path", FILES)


@together("path", SOURCES)
def test_a_file_has_one_subject(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= MAX_FILE_LINES


def test_test_files_are_not_endless() -> None:
    sizes = {path: len(path.read_text().splitlines()) for path in (ROOT / "tests").rglob("*.py")}
    assert [path for path, lines in sizes.items() if lines > MAX_TEST_FILE_LINES] == []


def imports_from(path: Path, module: str, wanted: str) -> bool:
    return any(
        isinstance(node, python.ImportFrom)
        and node.module == module
        and wanted in {alias.name for alias in node.names}
        for node in python.walk(python.parse(path.read_text()))
    )


def test_tests_of_pages_expect_at_little_cost() -> None:
    paths = (ROOT / "tests" / "ui").rglob("*.py")
    described = [path.name for path in paths if imports_from(path, "playwright.sync_api", "expect")]
    assert described == ["expecting.py"]


@each_file
def test_functions_are_short(path: Path) -> None:
    assert find_facts(path).long_functions == []


@each_file
def test_a_module_says_what_lives_in_it(path: Path) -> None:
    assert find_facts(path).docstring


@together("path", [path for path in FILES if name(path).split("/")[0] in SYNCHRONOUS])
def test_the_core_is_synchronous(path: Path) -> None:
    assert name(path) in MAY_BE_ASYNCHRONOUS or not find_facts(path).is_asynchronous


@each_file
def test_modules_are_named_for_a_thing(path: Path) -> None:
    assert path.stem not in FORBIDDEN_NAMES
    assert not path.stem.endswith(("_v2", "_new", "_old"))


@pytest.mark.parametrize("table", [BUILDERS, CHECKS], ids=["builders", "checks"])
def test_every_filter_is_built_and_checked(table: dict[type, object]) -> None:
    """Relative times and inner queries are resolved before."""
    assert set(table) == FILTERS - {ast.During, ast.Between, ast.InQuery} | {Within, Values}


def test_every_node_has_its_text() -> None:
    assert set(FORMATS) == FILTERS | PIPE_NODES | set(get_args(ast.Expression))


def test_every_pipe_is_read_and_run() -> None:
    assert set(ENGINE_PIPES) == PIPE_NODES
    assert len(PIPES) >= len(PIPE_NODES)


def test_the_house_is_drawn_as_it_is_checked() -> None:
    """import-linter checks the order of imports; the drawings must show the same order."""
    drawn = (ROOT / "ARCHITECTURE.md").read_text()
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layered = [each for each in contracts["contracts"] if each["type"] == "layers"]
    assert {each["containers"][0] for each in layered} >= {"logboom", "logboom.engine"}
    for contract in layered:
        assert contract["exhaustive"]
        assert f" {ABOVE} ".join(contract["layers"]) in drawn, contract["name"]
