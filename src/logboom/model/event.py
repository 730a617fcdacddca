"""Turns a line into an event: mapped, flattened, typed. This is the definition; compiled code must agree.

The result is columns plus a *shape*: the event's JSON text with every value replaced by a letter for where it went
(see `model.shape`). An event that cannot be rebuilt exactly from its columns and shape has no shape and keeps its raw
text instead.
"""

from typing import NamedTuple

from logboom.model.columns import (
    MAX_ARRAY_ELEMENTS,
    MAX_FIELDS_PER_EVENT,
    MAX_PATH_LENGTH,
    MAX_PATH_SEGMENTS,
    MESSAGE,
    SOURCE,
    Cell,
    Column,
    Kind,
    Scalar,
)
from logboom.model.jsonline import (
    Members,
    Number,
    Value,
    clean_text,
    encode_text,
    encode_value,
    keeps_digits,
    parse_object,
    read_number,
)
from logboom.model.mapping import Mapping, Role, is_container, map_event, read_byte_text
from logboom.model.names import fold_name

LETTERS = {
    Kind.STR: "s", Kind.INT: "i", Kind.FLOAT: "f", Kind.BOOL: "b",
    Kind.STRS: "S", Kind.INTS: "I", Kind.FLOATS: "F", Kind.BOOLS: "B",
}  # fmt: skip
UNPARSED_SHAPE = "w"
KIND_OF_TYPE: dict[type, Kind] = {str: Kind.STR, int: Kind.INT, float: Kind.FLOAT, bool: Kind.BOOL}


class Shredded(NamedTuple):
    """An event as columns; if `shape` is None its raw text must be kept."""

    time_ns: int | None
    shape: str | None
    cells: dict[Column, Cell]
    parsed: bool


class Typed(NamedTuple):
    """A scalar as its column stores it, beside the original."""

    kind: Kind
    value: Scalar
    original: Value


def shred_line(line: bytes, default_source: str | None = None) -> Shredded:
    """Map, flatten and type the event on one line; what is not a JSON object becomes a message."""
    event = parse_object(line)
    if event is None:
        cells: dict[Column, Cell] = {MESSAGE: decode_line(line)}
        shredded = Shredded(None, UNPARSED_SHAPE, cells, parsed=False)
    else:
        walk = Walk(event)
        cells = walk.type_fields()
        time_ns = walk.mapping.time.time_ns if walk.mapping.time else None
        shredded = Shredded(time_ns, walk.describe(), cells, parsed=True)
    if default_source and not any(column.field == SOURCE.field for column in cells):
        cells[SOURCE] = default_source
    return shredded


def decode_line(line: bytes) -> str:
    """Return the text of a line that is not an event; bytes that are not UTF-8 become readable escapes."""
    return line.decode(errors="backslashreplace")


def read_fields(line: bytes, default_source: str | None = None) -> dict[str, object]:
    """Return the event's fields under their flattened names in original spelling, multi-valued ones as lists."""
    event = parse_object(line)
    if event is None:
        row: dict[str, object] = {MESSAGE.field: decode_line(line)}
        has_source = False
    else:
        walk = Walk(event)
        row = walk.list_fields()
        has_source = SOURCE.field in walk.fields
    if default_source and not has_source:
        row[SOURCE.field] = default_source
    return row


def read_original(cell: Typed) -> object:
    if not isinstance(cell.original, Number):
        return cell.value
    text = cell.original.text
    is_whole = text.lstrip("-").isdigit()
    return int(text) if is_whole and len(text) < 4000 else cell.value


def is_opened(path: tuple[str, ...]) -> bool:
    """Return whether an object at this path is flattened further, instead of being kept as one text."""
    return len(path) < MAX_PATH_SEGMENTS and sum(map(len, path)) <= MAX_PATH_LENGTH


class Walk:
    """Visits every value of an event once, collecting its fields and its shape."""

    def __init__(self, event: Members) -> None:
        self.mapping: Mapping = map_event(event)
        self.fields: dict[str, list[Typed]] = {}
        self.spelling: dict[str, str] = {}
        self.multi_valued: set[str] = set()
        self.shape: list[str] = []
        self.named_path: tuple[str, ...] = ()
        self.name = self.field = ""
        self.is_exact = not self.mapping.shadowed
        self.visit_object(event, (), ())

    def visit_object(
        self, members: Members, path: tuple[str, ...], position: tuple[int, ...]
    ) -> None:
        self.shape.append("{")
        for at, (key, value) in enumerate(members):
            self.shape.append(f",{encode_text(key)}:" if at else f"{encode_text(key)}:")
            here = (*position, at)
            if here in self.mapping.shadowed:
                continue
            if not position and is_container(key, value):
                assert isinstance(value, Members)
                self.visit_object(value, (), here)
            else:
                self.visit_value(value, (*path, key), here)
        self.shape.append("}")

    def visit_value(self, value: Value, path: tuple[str, ...], position: tuple[int, ...]) -> None:
        role = self.mapping.roles.get(position)
        if role is not None:
            self.add_core(role, value)
        elif value is None:
            self.shape.append("n")
        elif isinstance(value, Members) and is_opened(path):
            self.visit_object(value, path, position)
        elif isinstance(value, Members):
            self.add(path, encode_value(value))
            self.shape.append("v")
        elif isinstance(value, list):
            self.visit_array(value, path)
        else:
            self.shape.append(LETTERS[self.add(path, value).kind])

    def visit_array(self, array: list[Value], path: tuple[str, ...]) -> None:
        nested = any(isinstance(item, list | Members) for item in array)
        if not array:
            self.shape.append("[]")
        elif nested or None in array or len(array) > MAX_ARRAY_ELEMENTS:
            self.is_exact = False
            self.gather(array, path)
        else:
            typed = [self.add(path, item, from_array=at) for at, item in enumerate(array)]
            self.shape.append(LETTERS[typed[0].kind.listed])

    def gather(self, array: list[Value], path: tuple[str, ...]) -> None:
        """Shred an array whose structure the columns cannot represent."""
        for item in array[:MAX_ARRAY_ELEMENTS]:
            self.gather_value(item, path)

    def gather_value(self, value: Value, path: tuple[str, ...]) -> None:
        if value is None:
            return
        if isinstance(value, Members) and is_opened(path):
            for key, item in value:
                self.gather_value(item, (*path, key))
        elif isinstance(value, Members):
            self.add(path, encode_value(value), from_array=1)
        elif isinstance(value, list):
            self.gather(value, path)
        else:
            self.add(path, value, from_array=1)

    def add_core(self, role: Role, value: Value) -> None:
        if role is Role.TIME:
            assert self.mapping.time is not None
            self.is_exact = self.is_exact and self.mapping.time.format is not None
            self.shape.append(f"t({self.mapping.time.format})")
            return
        self.spelling[role.value] = role.value
        if isinstance(value, list):
            self.is_exact = False
            self.add((role.value,), read_byte_text(value))
        elif isinstance(value, str):
            self.add((role.value,), value)
            self.shape.append("m" if role is Role.MESSAGE else "o")
        else:
            self.add((role.value,), encode_value(value))
            self.shape.append("w" if role is Role.MESSAGE else "p")

    def add(self, path: tuple[str, ...], value: Value, from_array: int | None = None) -> Typed:
        """Record one scalar of a field; `from_array` is its position in a plain array."""
        field = self.name_field(path)
        typed = type_scalar(value)
        if field not in self.fields and len(self.fields) == MAX_FIELDS_PER_EVENT:
            self.is_exact = False
            return typed
        cells = self.fields.setdefault(field, [])
        if cells and not from_array:
            self.is_exact = False
            self.multi_valued.add(field)
        if from_array is not None:
            self.multi_valued.add(field)
        if cells and typed.kind is not cells[0].kind:
            self.is_exact = False
        if not is_faithful(typed):
            self.is_exact = False
        self.spelling.setdefault(field, self.name)
        cells.append(typed)
        return typed

    def name_field(self, path: tuple[str, ...]) -> str:
        """Return the field of a path; an array's elements share one path, which is named once."""
        if path is not self.named_path:
            spelled = ".".join(path)
            self.named_path, self.name = path, clean_text(spelled)
            self.field = fold_name(self.name)
            self.is_exact = self.is_exact and self.name == spelled
        return self.field

    def describe(self) -> str | None:
        """Return the event's shape, or None if the event cannot be rebuilt from it and the columns."""
        shape = "".join(self.shape)
        return shape if self.is_exact and clean_text(shape) == shape else None

    def list_fields(self) -> dict[str, object]:
        row: dict[str, object] = {}
        for field, cells in self.fields.items():
            values = [read_original(cell) for cell in cells]
            row[self.spelling[field]] = values if field in self.multi_valued else values[0]
        return row

    def type_fields(self) -> dict[Column, Cell]:
        """Choose one column for each field of the event."""
        settled: dict[Column, Cell] = {}
        for field, cells in self.fields.items():
            if field in self.multi_valued:
                column, values = settle_list(field, cells)
                settled[column] = values
            else:
                settled[Column(field, cells[0].kind)] = cells[0].value
        return settled


def type_scalar(value: Value) -> Typed:
    if isinstance(value, Number):
        number = read_number(value)
        return Typed(KIND_OF_TYPE[type(number)], number, value)
    assert isinstance(value, str | bool)
    if isinstance(value, str):
        return Typed(Kind.STR, clean_text(value), value)
    return Typed(Kind.BOOL, value, value)


def is_faithful(typed: Typed) -> bool:
    """Return whether the original can be rebuilt from the column's value."""
    if isinstance(typed.original, Number):
        text = typed.original.text
        if text.lstrip("-").isdigit():
            return typed.kind is Kind.INT
        return isinstance(typed.value, float) and keeps_digits(text, typed.value)
    return typed.value == typed.original


def settle_list(field: str, cells: list[Typed]) -> tuple[Column, list[Scalar]]:
    """Return many values in one column: of their common kind, numbers as floats, else texts."""
    kinds = {cell.kind for cell in cells}
    if len(kinds) == 1:
        return Column(field, cells[0].kind.listed), [cell.value for cell in cells]
    if kinds == {Kind.INT, Kind.FLOAT}:
        return Column(field, Kind.FLOATS), [float(cell.value) for cell in cells]
    return Column(field, Kind.STRS), [
        cell.value if isinstance(cell.value, str) else encode_value(cell.original) for cell in cells
    ]
