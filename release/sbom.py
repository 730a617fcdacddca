"""`make sbom`: what the executable, the Debian package and the image hold, as a CycloneDX document made from the locks.

    python -m release.sbom FILE

Also refuses a dependency whose licence nobody has looked at: ALLOWED lists what may be shipped with this project.
"""

import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from logboom.base.version import __version__

ROOT = Path(__file__).parents[1]
PINNED = re.compile(r"^(\S+)==(\S+)")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
ALLOWED = re.compile(
    r"apache|\bmit\b|\bbsd|0bsd|mpl|mozilla public|\bpsf\b|python software foundation|unlicense|\bisc\b|zlib|"
    r"cc0|blueoak|lgpl",
    re.IGNORECASE,
)


def list_pinned(lock: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield names, versions and hashes."""
    for entry in re.split(r"\n(?=\S)", lock):
        if pinned := PINNED.match(entry):
            yield pinned[1], pinned[2], HASH.findall(entry)


def describe_python(name: str, version: str, hashes: list[str]) -> dict[str, Any]:
    component = {
        "type": "library",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name}@{version}",
        "properties": [{"name": "sha256", "value": each} for each in sorted(hashes)],
    }
    if licence := find_licence(name):
        component["licenses"] = [{"license": {"name": licence}}]
    return component


def find_licence(name: str) -> str:
    """Return the licence that the installed package states; empty if it is for other systems and not installed here."""
    try:
        metadata = distribution(name).metadata
    except PackageNotFoundError:
        return ""
    classified = [
        value.rpartition(" :: ")[2]
        for value in metadata.get_all("Classifier") or []
        if value.startswith("License :: ")
    ]
    stated = metadata.get_all("License-Expression") or classified or metadata.get_all("License")
    return ", ".join(stated or ["unknown"]).splitlines()[0]


def describe_npm(lock: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the packages that the pages may contain; npm marks those that only build or check them."""
    for place, package in sorted(lock["packages"].items()):
        if place and not package.get("dev"):
            name = place.rpartition("node_modules/")[2]
            yield {
                "type": "library",
                "name": name,
                "version": package["version"],
                "purl": f"pkg:npm/{name.replace('@', '%40')}@{package['version']}",
                "licenses": [{"license": {"name": package.get("license", "unknown")}}],
            }


def make_document() -> dict[str, Any]:
    pinned = list_pinned((ROOT / "requirements/runtime.lock").read_text())
    of_pages = json.loads((ROOT / "ui/package-lock.json").read_text())
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "logboom",
                "version": __version__,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": [*(describe_python(*each) for each in pinned), *describe_npm(of_pages)],
    }


def list_refused(document: dict[str, Any]) -> list[str]:
    """Return the components whose licence is not allowed."""
    return [
        f"{component['name']} {component['version']}: {licence['license']['name']}"
        for component in document["components"]
        for licence in component.get("licenses", [])
        if not ALLOWED.search(licence["license"]["name"])
    ]


def main(target: Path | None) -> None:
    document = make_document()
    if refused := list_refused(document):
        sys.exit("licences that nobody has looked at:\n  " + "\n  ".join(refused))
    if target:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")
        print(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
