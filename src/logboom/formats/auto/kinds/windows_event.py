"""One Windows event in XML."""

from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLParser

from logboom.formats.auto.reading import Fields
from logboom.formats.reader import read_cell

MAX_DEPTH = 8
DATA = {"EventData": "event_data", "UserData": "user_data"}
LEVELS = {
    "0": "Information",
    "1": "Critical",
    "2": "Error",
    "3": "Warning",
    "4": "Information",
    "5": "Verbose",
}
SYSTEM = {
    "EventID": "event_id",
    "Version": "version",
    "Task": "task",
    "Opcode": "opcode",
    "Keywords": "keywords",
    "EventRecordID": "record_id",
    "Channel": "log_name",
    "Computer": "host",
}
ATTRIBUTES = {
    ("Provider", "Name"): "program",
    ("TimeCreated", "SystemTime"): "timestamp",
    ("Execution", "ProcessID"): "pid",
    ("Execution", "ThreadID"): "thread",
    ("Security", "UserID"): "user_id",
    ("Correlation", "ActivityID"): "activity_id",
}


def parse(text: str) -> Fields | None:
    """Return the fields of the element, or None if it is not valid, or has nothing of an event."""
    # Within an element no entities can be declared, so that none can expand.
    parser = XMLParser()  # noqa: S314
    try:
        parser.feed(text)
        return read_event(parser.close()) or None
    except ParseError:
        return None


def read_event(event: Element) -> Fields:
    fields: Fields = {}
    message = ""
    for part in event:
        name = name_of(part)
        if name == "System":
            fields |= read_system(part)
        elif name == "RenderingInfo":
            rendered = {name_of(each): (each.text or "").strip() for each in part}
            message = rendered.get("Message", "")
            fields |= {"level": rendered["Level"]} if rendered.get("Level") else {}
        else:
            fields[DATA.get(name, name)] = read_data(part, MAX_DEPTH)
    said = fields.get("event_data")
    if not message and isinstance(said, dict):
        message = " ".join(f"{name}={value}" for name, value in said.items())
    return fields | {"message": message} if message else fields


def read_system(system: Element) -> Fields:
    fields: Fields = {}
    for part in system:
        name, text = name_of(part), (part.text or "").strip()
        for attribute, value in part.attrib.items():
            if field := ATTRIBUTES.get((name, attribute)):
                fields[field] = value if field == "timestamp" else read_cell(value)
        if name == "Level":
            fields["level"] = LEVELS.get(text, text)
        elif name in SYSTEM and text:
            fields[SYSTEM[name]] = read_cell(text)
    return fields


def read_data(part: Element, depth: int) -> Any:
    """Return the values of an element by their names; its text if it has no elements inside."""
    if not len(part) or not depth:
        return "".join(part.itertext()).strip()
    values: dict[str, list[Any]] = {}
    for number, each in enumerate(part, 1):
        name = each.get("Name") or (name_of(each) if name_of(each) != "Data" else f"param{number}")
        values.setdefault(name, []).append(read_data(each, depth - 1))
    return {name: found[0] if len(found) == 1 else found for name, found in values.items()}


def name_of(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]
