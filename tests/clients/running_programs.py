"""Documented example programs, changed to send many lines instead of one greeting."""

import re
import subprocess
import sys
from pathlib import Path

GREETING = r'"hello from [a-z]+"'
NODE_FOLDER = Path(__file__).parent / "node"
ENDED_WITHIN_S = 60
OUTPUT = "output"


def start_python(program: str, lines: list[str], folder: Path) -> subprocess.Popen[bytes]:
    beginning = f"lines = open({write(lines, folder)!r}).read().splitlines()\n"
    text = repeat(program, r"for line in lines: \1", beginning)
    return start([sys.executable, "-c", text], folder, folder / OUTPUT)


def start_node(program: str, lines: list[str], folder: Path) -> subprocess.Popen[bytes]:
    beginning = f"""import {{ readFileSync }} from "node:fs";
const lines = readFileSync({write(lines, folder)!r}, "utf8").split("\\n");
"""
    text = repeat(program, r"for (const line of lines) \1", beginning)
    command = ["node", "--input-type=module", "--eval", text]
    return start(command, NODE_FOLDER, folder / OUTPUT)


def write(lines: list[str], folder: Path) -> str:
    """Return a new file with the lines."""
    path = folder / f"lines-{len(list(folder.iterdir()))}"
    path.write_text("\n".join(lines))
    return str(path)


def repeat(program: str, loop: str, beginning: str) -> str:
    """Return the program with all lines in place of its greeting, sent by a loop unless they fit into a list."""
    greetings = re.findall(GREETING, program)
    assert len(greetings) == 1, greetings
    listed = re.sub(rf"\[{GREETING}\]", "lines", program)
    if listed != program:
        return beginning + listed
    statement = re.sub(rf"^(\w.*{GREETING}.*)$", loop, program, flags=re.MULTILINE)
    return beginning + re.sub(GREETING, "line", statement)


def start(command: list[str], folder: Path, output: Path) -> subprocess.Popen[bytes]:
    with output.open("ab") as file:
        return subprocess.Popen(command, cwd=folder, stdout=file, stderr=file)


def read_output(folder: Path) -> str:
    """Return all that the program of this folder has printed."""
    path = folder / OUTPUT
    return path.read_text(errors="replace") if path.exists() else ""


def wait_for(program: subprocess.Popen[bytes]) -> int:
    """Wait for a program and return how it ended; kill it if that takes too long."""
    try:
        return program.wait(ENDED_WITHIN_S)
    except subprocess.TimeoutExpired:
        program.kill()
        return program.wait()
