"""What is shipped is listed, and every licence was looked at."""

import json
from pathlib import Path

from release.sbom import ROOT, list_pinned, list_refused, main, make_document


def test_every_pinned_package_is_listed_with_its_hashes(tmp_path: Path) -> None:
    main(tmp_path / "list.json")
    document = json.loads((tmp_path / "list.json").read_text())
    listed = {each["purl"]: each for each in document["components"]}
    pinned = list(list_pinned((ROOT / "requirements/runtime.lock").read_text()))
    assert len(pinned) > 30
    for name, version, hashes in pinned:
        component = listed[f"pkg:pypi/{name}@{version}"]
        assert [each["value"] for each in component["properties"]] == sorted(hashes)
    assert [purl for purl in listed if purl.startswith("pkg:npm/svelte@")]


def test_a_licence_that_nobody_has_looked_at_is_refused() -> None:
    document = make_document()
    assert not list_refused(document)
    licences = [{"license": {"name": "Proprietary"}}]
    document["components"].append({"name": "odd", "version": "1", "licenses": licences})
    assert list_refused(document) == ["odd 1: Proprietary"]
