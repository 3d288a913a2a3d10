"""One version in the package, the citation file and the changelog."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_version_is_cited_and_dated():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    citation = dict(re.findall("^([a-z-]+): *(.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    heading = re.search("^## (.*), ([0-9-]+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert (citation["version"], citation["date-released"]) == (version, heading[2])
    assert heading[1] == version
    assert {"cff-version", "message", "title", "authors", "license"} <= citation.keys()
