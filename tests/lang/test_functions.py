"""The tables of functions: complete, consistent, and all of it can be written."""

import pytest
from tests.together import together

from logboom.lang.ast import Aggregate, Call, Eval, Literal, Stats
from logboom.lang.errors import InvalidQuery
from logboom.lang.functions import (
    AGGREGATE_ALIASES,
    AGGREGATES,
    FUNCTION_ALIASES,
    FUNCTIONS,
    PERCENTILES,
    REGEX_ARGUMENTS,
    find_aggregate,
    find_function,
)
from logboom.lang.parse import parse


def call_function(name: str, count: int) -> Call:
    arguments = ", ".join(['"x"'] * count)
    pipe = parse(f"* | eval y = {name}({arguments})").pipes[0]
    assert isinstance(pipe, Eval)
    call = pipe.assignments[0][1]
    assert isinstance(call, Call)
    return call


def aggregate(text: str) -> Aggregate:
    pipe = parse(f"* | stats {text}").pipes[0]
    assert isinstance(pipe, Stats)
    return pipe.aggregates[0]


@together("name", FUNCTIONS)
def test_every_function_takes_as_many_arguments_as_it_says(name: str) -> None:
    signature = FUNCTIONS[name]
    most = signature.minimum + 3 if signature.maximum is None else signature.maximum
    for count in range(signature.minimum, most + 1):
        assert call_function(name, count) == Call(name, (Literal("x"),) * count)
        assert call_function(name.upper(), count).function == name
    refused = {signature.minimum - 1} - {-1} | (set() if signature.maximum is None else {most + 1})
    for count in refused:
        with pytest.raises(InvalidQuery, match=f"{name} got {count} arguments, expected "):
            call_function(name, count)


@together("alias", FUNCTION_ALIASES)
def test_every_alias_of_a_function_means_it(alias: str) -> None:
    signature = find_function(alias.title())
    assert signature is FUNCTIONS[FUNCTION_ALIASES[alias]]
    assert alias not in FUNCTIONS
    assert call_function(alias, signature.minimum).function == signature.name


@together("name", AGGREGATES)
def test_every_aggregate_can_be_written(name: str) -> None:
    argument = "(x, 50)" if name in PERCENTILES else "(x)"
    assert aggregate(name + argument).function == name
    assert aggregate(name.upper() + argument).function == name
    if AGGREGATES[name].minimum == 0:
        assert aggregate(name) == aggregate(f"{name}()") == aggregate(f"{name}(*)")
    else:
        with pytest.raises(InvalidQuery, match=f"{name} got 0 arguments, expected "):
            aggregate(name)


@together("alias", AGGREGATE_ALIASES)
def test_every_alias_of_an_aggregate_means_it(alias: str) -> None:
    signature = find_aggregate(alias.title())
    assert signature is AGGREGATES[AGGREGATE_ALIASES[alias]]
    assert alias not in AGGREGATES


@pytest.mark.parametrize("table", [AGGREGATES, FUNCTIONS], ids=["aggregates", "functions"])
def test_signatures_make_sense(table: dict[str, object]) -> None:
    signatures = AGGREGATES if table is AGGREGATES else FUNCTIONS
    for name, signature in signatures.items():
        assert signature.name == name == name.lower()
        assert signature.summary
        assert not signature.summary.endswith(".")
        assert signature.maximum is None or signature.minimum <= signature.maximum


@together("name", REGEX_ARGUMENTS)
def test_regular_expressions_are_checked_where_functions_take_them(name: str) -> None:
    signature = FUNCTIONS[name]
    arguments = ["x"] * signature.minimum
    arguments[REGEX_ARGUMENTS[name]] = '"a("'
    with pytest.raises(InvalidQuery, match="bad regular expression"):
        parse(f"* | eval y = {name}({', '.join(arguments)})")
    arguments[REGEX_ARGUMENTS[name]] = "pattern"
    with pytest.raises(InvalidQuery, match="a computed regular expression"):
        parse(f"* | eval y = {name}({', '.join(arguments)})")
