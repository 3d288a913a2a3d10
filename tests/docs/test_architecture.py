"""docs/architecture.md names what there is: packages, states of a match, processes."""

import re
from pathlib import Path

from evilpegs_server.match.match import TRANSITIONS, State

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/architecture.md").read_text()
PACKAGES = sorted(
    path.parent
    for top in ("game", "protocol", "server", "clients", "cli")
    for path in (ROOT / top).glob("*/**/__init__.py")
    if "migrations" not in path.parts
)


def section(heading):
    """Return the text of one section of the page."""
    (text,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    return text


def test_architecture_names_every_package():
    named = set(re.findall(r"`([\w/]+)`", section("Packages")))
    packages = {package.name for package in PACKAGES if package.parent.parent.parent == ROOT}
    assert len(packages) > 25
    assert packages <= named


def test_architecture_shows_transitions_of_match():
    rows = re.findall(r"^\| ([A-Z]+) \|[^|]*\|([^|]*)\|", section("The states of a match"), re.MULTILINE)
    shown = {State[name]: {State[each] for each in re.findall(r"[A-Z]{4,}", following)} for name, following in rows}
    assert shown == TRANSITIONS


def test_modules_named_in_architecture_exist():
    for name in re.findall(r"`(\w+/\w+(?:\.py)?)`", TEXT):
        tops = ("", "server/evilpegs_server", "clients/evilpegs_clients")
        places = [ROOT / top / each for top in tops for each in (name, f"{name}.py")]
        assert any(place.exists() for place in places), name
