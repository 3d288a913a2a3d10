import hashlib
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.strategies.loading import find_siblings, load_strategy, read_source
from evilpegs_clients.strategies.strategy import StrategyError, seeded_choice
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

ROOT = Position(Rules(3, 3))
PLAIN = "def choose(position, rng):\n    return position.first_candidate\n"
HELPED = "from helper import code\n\ndef choose(position, rng):\n    return code()\n"
LAZY = "def choose(position, rng):\n    import helper\n    return helper.code()\n"


@pytest.fixture(autouse=True)
def own_imports(monkeypatch):
    """Leave sys.path and the modules of other tests as they were, and no bytecode.

    Two texts of equal size that are written within one second have equal bytecode for Python.
    """
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


def code(digit):
    return f"def code():\n    return ({digit},) * 3\n"


def test_version_of_single_file_is_its_sha256(write):
    path = write("mine.py", PLAIN)
    assert load_strategy(path).version == hashlib.sha256(PLAIN.encode()).hexdigest()[:8]


def test_version_follows_text_and_not_name(write):
    first = load_strategy(write("mine.py", PLAIN)).version
    assert load_strategy(write("other.py", PLAIN)).version == first
    assert load_strategy(write("mine.py", PLAIN + "\n")).version != first


def test_modules_of_python_come_before_siblings(write):
    text = "import colorsys\n\ndef choose(position, rng):\n    return colorsys.ONE_THIRD\n"
    sys.modules.pop("colorsys", None)
    path = write("mine.py", text)
    alone = load_strategy(path)
    write("colorsys.py", "")
    assert alone.choose(None, None) == load_strategy(path).choose(None, None) == 1 / 3
    assert load_strategy(path).version == alone.version


@pytest.mark.parametrize("text", [HELPED, LAZY])
def test_version_follows_imported_siblings(write, text):
    path = write("mine.py", text)
    versions = set()
    for digit in (0, 1, 0):
        write("helper.py", code(digit))
        strategy = load_strategy(path)
        assert seeded_choice(strategy)(ROOT) == (digit,) * 3
        versions.add(strategy.version)
    assert len(versions) == 2


ENCODED = {
    "byte order mark": b"\xef\xbb\xbf" + HELPED.encode(),
    "byte order mark and coding": b"\xef\xbb\xbf# coding: utf-8\n" + HELPED.encode(),
    "coding": "# -*- coding: latin-1 -*-\n# \xe9\n".encode("latin-1") + HELPED.encode(),
    "coding in the second line": "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n# \u20ac\n".encode("cp1252")
    + HELPED.encode(),
    "lines of Windows": HELPED.replace("\n", "\r\n").encode(),
    "lines of old systems": HELPED.replace("\n", "\r").encode(),
}


@pytest.mark.parametrize("source", ENCODED.values(), ids=ENCODED)
@pytest.mark.parametrize(
    "helper", [b"", b"\xef\xbb\xbf", b"# coding: latin-1\n# \xe9\n"], ids=["plain", "mark", "coding"]
)
def test_helpers_count_however_they_are_encoded(write, source, helper):
    path = write("mine.py", source)
    versions, digests = set(), set()
    for digit in (0, 1):
        write("helper.py", helper + b"from deeper import code\n")
        write("deeper.py", code(digit))
        for one in (load_strategy(path), (spec := read_spec(path)).load()):
            assert seeded_choice(one)(ROOT) == (digit,) * 3
            versions.add(one.version)
        digests.add(spec.digest)
    assert (len(versions), len(digests)) == (2, 2)


def test_names_beyond_ascii_are_those_of_python(write, tmp_path):
    """An import of the ligature fi is one of the two letters."""
    write("mine.py", "import \ufb01ve, h\xe9lper\n" + PLAIN)
    write("five.py", "")
    write("h\xe9lper.py", "")
    assert [each.path for each in find_siblings(tmp_path / "mine.py")] == ["five.py", "h\xe9lper.py"]


def read_spec(path):
    return StrategySpec(path, read_source(path), Rules(3, 3), siblings=find_siblings(Path(path)))


def test_version_ignores_modules_that_are_not_imported(write):
    path = write("mine.py", "import json, math\n" + PLAIN)
    first = load_strategy(path).version
    write("helper.py", code(1))
    assert load_strategy(path).version == first


def test_siblings_include_packages_and_what_siblings_import(write, tmp_path):
    write("mine.py", "import tables.small\nfrom first import value\nfrom . import nothing\n" + PLAIN)
    write("tables/__init__.py", "")
    write("tables/small.py", "from tables.deep import more\n")
    write("tables/deep/more.py", "import mine\n")
    write("first.py", "import second\n")
    write("second.py", "import first\n")
    write("third.py", "")
    paths = [sibling.path for sibling in find_siblings(tmp_path / "mine.py")]
    assert paths == ["first.py", "second.py", "tables/__init__.py", "tables/deep/more.py", "tables/small.py"]


def test_strategies_of_two_folders_have_their_own_siblings(write):
    strategies = []
    for digit in (0, 1):
        write(f"folder{digit}/helper.py", code(digit))
        strategies.append(load_strategy(write(f"folder{digit}/mine.py", HELPED)))
    assert [seeded_choice(strategy)(ROOT) for strategy in strategies] == [(0, 0, 0), (1, 1, 1)]
    assert strategies[0].version != strategies[1].version


def test_siblings_of_replaced_strategy_are_forgotten(write):
    """The first of three files of one name has a sibling, the second has none, and the third has another."""
    write("first/helper.py", code(0))
    load_strategy(write("first/mine.py", HELPED))
    load_strategy(write("second/mine.py", PLAIN))
    write("third/helper.py", code(2))
    assert load_strategy(write("third/mine.py", HELPED)).choose(ROOT, None) == (2, 2, 2)


def test_spec_carries_siblings(write, tmp_path):
    write("helper.py", code(2))
    path = write("mine.py", HELPED)
    here = read_spec(path)
    elsewhere = replace(here, strategy="/elsewhere/mine.py")
    (tmp_path / "helper.py").unlink()
    (tmp_path / "mine.py").unlink()
    assert seeded_choice(elsewhere.load())(ROOT) == (2, 2, 2)
    write("helper.py", code(1))
    changed = replace(here, siblings=find_siblings(Path(write("mine.py", HELPED))))
    assert changed.digest != here.digest == elsewhere.digest
    assert seeded_choice(changed.load())(ROOT) == (1, 1, 1)


NOT_TEXT = {
    "UTF-16": (PLAIN.encode("utf-16"), "UTF-16"),
    "UTF-16 without a mark": (PLAIN.encode("utf-16-be"), "UTF-16"),
    "NUL": (PLAIN.replace("return", "# \0\n    return").encode(), "line 2 has a NUL"),
    "Latin-1": (PLAIN.replace("return", "'ä'; return").encode("latin-1"), "line 2 is not text in UTF-8"),
}


@pytest.mark.parametrize("wrong", NOT_TEXT)
def test_file_that_is_not_text_is_named_with_what_to_do(write, wrong):
    source, fault = NOT_TEXT[wrong]
    helper = write("helper.py", source)
    for path in (helper, write("bot.py", HELPED)):
        with pytest.raises(StrategyError, match=f"^{re.escape(helper)} cannot be loaded: .*{fault}.* UTF-8"):
            load_strategy(path)


@pytest.mark.parametrize(
    "encode", [lambda text: text.replace("\n", "\r").encode(), lambda text: b"\xef\xbb\xbf" + text.encode()]
)
def test_line_ends_of_old_macs_and_a_mark_are_read(write, encode):
    write("helper.py", encode("def code():\n    return (0, 1, 2)\n"))
    assert load_strategy(write("bot.py", encode(HELPED))).choose(ROOT, seeded_choice(0)) == (0, 1, 2)
