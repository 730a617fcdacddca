"""The results of measurements, and how they are printed."""

import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

MB = 1_000_000


@dataclass(frozen=True)
class Figure:
    """One measured number; `target` is an upper bound unless `at_least` is set, None means only shown."""

    name: str
    value: float
    unit: str
    method: str
    target: float | None = None
    at_least: bool = False
    detail: str = ""

    @property
    def is_met(self) -> bool | None:
        if self.target is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target


def format_table(figures: list[Figure]) -> str:
    """Return the table, one row a figure, then one line a figure that says how it was measured."""
    rows = [("name", "measured", "target", "ok?", "detail")]
    rows += [
        (
            figure.name,
            format_value(figure.value, figure.unit),
            format_target(figure),
            {True: "yes", False: "NO", None: ""}[figure.is_met],
            figure.detail,
        )
        for figure in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    table = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    table.insert(1, "  ".join("-" * width for width in widths))
    methods = [f"{figure.name}: {figure.method}" for figure in figures]
    return "\n".join([*table, "", *methods])


def format_value(value: float, unit: str) -> str:
    digits = 0 if value >= 1000 else 1 if value >= 100 else 2
    return f"{value:,.{digits}f} {unit}".rstrip()


def format_target(figure: Figure) -> str:
    if figure.target is None:
        return ""
    return f"{'>=' if figure.at_least else '<='} {figure.target:g} {figure.unit}".rstrip()


def describe_machine() -> dict[str, object]:
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": len(os.sched_getaffinity(0)),
        "arch": platform.machine(),
        "cpu": read_cpu_model(),
        "memory_mb": memory_bytes // MB,
        "kernel": platform.release(),
        "python": platform.python_version(),
    }


def read_cpu_model() -> str:
    """Return the processor's name, or `unknown` where the kernel does not give it, as on Arm."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown"


def encode_figure(figure: Figure) -> dict[str, object]:
    return asdict(figure) | {"ok": figure.is_met}
