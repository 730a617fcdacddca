"""An agent without knowledge and without a model: it follows the steps of the prompt by fixed rules.

It knows the protocol and how answers are laid out. What to look for it takes from the words of the prompt, and names of
fields and values only from answers.
"""

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mcp import Client
from tests.mcp.agents import list_data, read_text

ORDER = ("list_indexes", "list_fields", "chart", "compare", "patterns", "search", "read_event")
BAD_VALUE = re.compile(r"err|fatal|crit", re.IGNORECASE)
WARNING_VALUE = re.compile(r"err|fatal|crit|warn", re.IGNORECASE)
TOP_VALUE = re.compile(r"([^,()]+) \(\d+\)")
CUT = "more characters, see read_event"


class Suspect(NamedTuple):
    """A value that stands out."""

    field: str
    value: str
    ratio: float

    @property
    def query(self) -> str:
        return f'{self.field}:"{self.value}"'


@dataclass
class Hunter:
    """Counts what it uses."""

    client: Client
    calls: list[str] = field(default_factory=list)
    size_bytes: int = 0
    evidence: list[str] = field(default_factory=list)
    prompt: str = ""

    async def call(self, tool: str, **arguments: Any) -> str:
        result = await self.client.call_tool(tool, arguments)
        text = read_text(result)
        self.calls.append(tool)
        self.size_bytes += len(text.encode())
        assert not result.is_error, text
        return text

    async def hunt(self) -> Suspect:
        (message,) = (await self.client.get_prompt("incident_hunt", {})).messages
        self.prompt = getattr(message.content, "text", "")
        places = [self.prompt.index(f". {tool}") for tool in ORDER[:6]]
        assert places == sorted(places), "the rules below are the steps of the prompt"
        period = await self.find_period()
        severity, values = await self.find_severity(period)
        errors = f"{severity}:{next(value for value in values if BAD_VALUE.search(value))}"
        self.evidence.append(await self.call("chart", query=errors, **period))
        compared = await self.call("compare", selection=errors, **period)
        suspect = self.choose_suspect(list_data(compared)[1:])
        self.evidence += list_data(await self.call("patterns", query=suspect.query, **period))
        warnings = " OR ".join(value for value in values if WARNING_VALUE.search(value))
        await self.read_cut_lines(f"{suspect.query} {severity}:({warnings})", period)
        first = await self.call(
            "search", query=f'"{suspect.value}" | sort _time', limit=3, **period
        )
        self.evidence += list_data(first)
        return suspect

    async def find_period(self) -> dict[str, str]:
        """Return the time from the first event until now."""
        text = await self.call("list_indexes")
        head, *rows = (line.split("\t") for line in list_data(text))
        first = head.index("first")
        (now,) = re.findall(r"Now is (\S+)\.", text)
        return {"from": min(row[first] for row in rows), "to": now}

    async def find_severity(self, period: dict[str, str]) -> tuple[str, list[str]]:
        """Return the first field that the prompt names and that has a value for errors."""
        step = self.prompt.split("\n2. ")[1].split("\n")[0]
        for line in list_data(await self.call("list_fields", **period))[1:]:
            name, *_, top = line.split("\t")
            values = [value.strip() for value in TOP_VALUE.findall(top)]
            if re.search(rf"\b{re.escape(name)}\b", step) and any(map(BAD_VALUE.search, values)):
                return name, values
        raise AssertionError("no field for severity")

    def choose_suspect(self, lines: list[str]) -> Suspect:
        """Return the value with the highest ratio, among the fields that the prompt prefers as explanations."""
        step = self.prompt.split("\n4. ")[1].split("explains more")[0]
        suspects = []
        for line in lines:
            _, name, value, _, _, ratio = line.split("\t")
            word = name.split(".")[-1]
            if re.search(rf"\b{re.escape(word)}\b", step):
                number = float("inf") if ratio == "only here" else float(ratio.rstrip("x"))
                suspects.append(Suspect(name, value, number))
        return max(suspects, key=lambda suspect: suspect.ratio)

    async def read_cut_lines(self, query: str, period: dict[str, str]) -> None:
        lines = list_data(await self.call("search", query=query, **period))
        self.evidence += lines
        cut = sorted((line for line in lines if CUT in line), key=lambda line: "trace" not in line)
        for line in cut[:2]:
            (event_id,) = re.findall(r" _id=(\S+)", line)
            read = await self.call("read_event", id=event_id, field="message")
            self.evidence += list_data(read)
