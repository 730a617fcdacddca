"""Grok: fields by pattern. `options.grok` is a preset, a `%{…}` pattern, or a regex with named groups.

A preset must match the whole text of an event; a pattern may match anywhere in it. The text is then kept as the
message, unless the pattern names one. Of the captured times the best one is the event's time.
"""

import difflib
from functools import lru_cache, partial
from typing import Any

import msgspec

from logboom.base.errors import Invalid, about
from logboom.base.patterns import compile_later
from logboom.formats.batches import extract_groups, is_batch, translate
from logboom.formats.grok.expand import Capture, Expanded, expand
from logboom.formats.grok.library import READ_AS_WRITTEN, TIMES
from logboom.formats.grok.presets import PRESETS, Preset
from logboom.formats.grok.types import TYPES
from logboom.formats.patterns import MAX_MATCHED_BYTES, Search, Spans, compile_search
from logboom.formats.reader import LineReader, Options, Reader, encode_all, encode_each
from logboom.formats.times import MAX_LENGTH, read_time
from logboom.model.mapping import ALIASES, Role
from logboom.model.timestamps import parse_time

IS_PATTERN = compile_later(r"%\{|\(\?P?<")
TIME, MESSAGE = Role.TIME.value, Role.MESSAGE.value
NOTHING = "-"

Fields = dict[str, Any]


def open_grok(options: Options) -> Reader:
    with about("grok"):
        if IS_PATTERN.search(options.grok):
            pattern = Pattern(options.grok, options.now_ns)
            return LineReader("grok", encode_each(pattern.parse), options)
        preset = find_preset(options.grok)
    if preset.begins and not options.multiline:
        options = msgspec.structs.replace(options, multiline=preset.begins)
    patterns = compile_patterns(preset, options.now_ns)
    return LineReader("grok", encode_all(partial(parse_first, patterns)), options)


def find_preset(name: str) -> Preset:
    folded = name.strip().lower().replace("-", "_")
    if folded in PRESETS:
        return PRESETS[folded]
    if not folded:
        raise Invalid("format grok needs a preset, a %{…} pattern or a regex with named groups")
    near = difflib.get_close_matches(folded, PRESETS, n=1)
    hint = f", did you mean {near[0]!r}" if near else ""
    raise Invalid(
        f"{name[:100]!r} is neither a preset nor a pattern with fields{hint}; presets: {', '.join(PRESETS)}",
        position=0,
    )


def compile_patterns(preset: Preset, now_ns: int) -> list["Pattern"]:
    return [Pattern(written, now_ns, whole=True) for written in preset.patterns]


def parse_first(patterns: list["Pattern"], texts: list[str]) -> list[Fields | None]:
    """Return the fields of each text by the first pattern that matches it."""
    parsed: list[Fields | None] = [None] * len(texts)
    missing = list(range(len(texts)))
    for pattern in patterns:
        found = pattern.parse_all([texts[place] for place in missing])
        for place, fields in zip(missing, found, strict=True):
            parsed[place] = fields
        missing = [place for place in missing if parsed[place] is None]
    return parsed


class Pattern:
    """A compiled pattern; `whole` is how presets match, which also drops values that are only a dash."""

    def __init__(self, written: str, now_ns: int, *, whole: bool = False) -> None:
        compiled = compile_preset if whole else compile_pattern
        expanded, self._search, self._translated = compiled(written, whole=whole)
        self._names = [capture.field for capture in expanded.captures]
        self._typed = {
            capture.field: TYPES[capture.type]
            for capture in expanded.captures
            if capture.type != "string"
        }
        self._is_repeated = len(set(self._names)) < len(self._names)
        self._time = find_time(expanded.captures)
        self._time_is_plain = is_plain(self._time, expanded.captures)
        self._is_whole = whole
        self._now_ns = now_ns

    def parse(self, text: str) -> Fields | None:
        """Return the non-empty fields, or None if there are none, or the text is too long to match."""
        data = text.encode()
        spans = self._search(data) if len(data) <= MAX_MATCHED_BYTES else None
        if spans is None:
            return None
        fields = self._settle(self._gather(text, data, spans))
        if fields and spans[0] != (0, len(data)) and MESSAGE not in fields:
            fields[MESSAGE] = text
        return fields

    def parse_all(self, texts: list[str]) -> list[Fields | None]:
        """Do what `parse` does for many texts, with a `whole` pattern."""
        if not self._translated or not is_batch(texts):
            return [self.parse(text) for text in texts]
        columns = extract_groups(self._translated, texts)
        rows = zip(*columns, strict=True)
        return [self._settle(self._name(row)) for row in rows]

    def _name(self, row: tuple[str | None, ...]) -> Fields:
        """Return the fields from the values of all groups."""
        pairs = zip(self._names, row, strict=True)
        if self._is_repeated:
            return gather([(name, value) for name, value in pairs if value and value != NOTHING])
        return {name: value for name, value in pairs if value and value != NOTHING}

    def _settle(self, fields: Fields) -> Fields | None:
        """Return the fields with their types and the time, or None if there are none."""
        if not fields:
            return None
        for name, convert in self._typed.items():
            value = fields.get(name)
            if type(value) is str:
                fields[name] = convert(value)
            elif type(value) is list:
                fields[name] = [convert(item) for item in value]
        if self._time in fields:
            self._settle_time(fields)
        return fields

    def _gather(self, text: str, data: bytes, spans: Spans) -> Fields:
        """Return the fields of the groups that matched something."""
        if len(data) == len(text):
            pairs = self._cut(text, spans)
        else:
            pairs = [
                (name, value.encode("latin-1").decode(errors="backslashreplace"))
                for name, value in self._cut(data.decode("latin-1"), spans)
            ]
        return gather(pairs) if self._is_repeated else dict(pairs)

    def _cut(self, text: str, spans: Spans) -> list[tuple[str, str]]:
        """Return names and values of the groups that matched something; a character of the text is a byte."""
        groups = zip(self._names, spans[1:], strict=True)
        if self._is_whole:
            return [
                (name, text[start:end])
                for name, (start, end) in groups
                if end > start and (end - start > 1 or text[start] != NOTHING)
            ]
        return [(name, text[start:end]) for name, (start, end) in groups if end > start]

    def _settle_time(self, fields: Fields) -> None:
        assert self._time is not None
        value = fields[self._time]
        if type(value) is str and not self._time_is_plain and len(value) <= MAX_LENGTH:
            value = settle_time(value, self._now_ns)
        name = self._time if self._time in ALIASES[Role.TIME] else TIME
        fields[name] = value


def gather(pairs: list[tuple[str, str]]) -> Fields:
    """Return fields by name; one that was captured more than once has all its values."""
    fields: Fields = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return {name: found if len(found) > 1 else found[0] for name, found in fields.items()}


def compile_pattern(written: str, *, whole: bool) -> tuple[Expanded, Search, str]:
    """Return the pattern for RE2 and, if it is one of ours, which match as a `whole`, for batches."""
    expanded = expand(written)
    expression = expanded.expression
    translated = translate(expression, whole=True) if whole else ""
    return expanded, compile_search(expression, written, whole=whole), translated


compile_preset = lru_cache(maxsize=256)(compile_pattern)
"""Cached: presets are the same for every text, and compiling one takes as long as reading many lines."""


def find_time(captures: list[Capture]) -> str | None:
    """Return the field that is the event's time: by its name, else the first that is a time by its pattern."""
    names = {capture.field for capture in captures}
    for alias in ALIASES[Role.TIME]:
        if alias in names:
            return alias
    times = (capture.field for capture in captures if capture.pattern in TIMES)
    return next(times, None)


def is_plain(field: str | None, captures: list[Capture]) -> bool:
    """Return whether everything that is captured as this field is a time that needs no parsing."""
    return all(capture.pattern in READ_AS_WRITTEN for capture in captures if capture.field == field)


@lru_cache(maxsize=4096)
def settle_time(text: str, now_ns: int) -> str | int:
    """Return the text, or its time if only we can parse it."""
    if parse_time(text, quoted=True) is not None:
        return text
    time_ns = read_time(text, now_ns)
    return text if time_ns is None else time_ns
