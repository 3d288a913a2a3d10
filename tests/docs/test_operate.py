"""docs/operate.md has the settings, limits and metrics that are declared, and every error of storage."""

import re
import tomllib
from pathlib import Path

import pytest

from evilpegs_server.gateway.admission import Limit
from evilpegs_server.play.counts import PRACTICE_LIMIT, RATE_LIMIT, EndReason
from evilpegs_server.settings import Settings
from evilpegs_server.storage import errors
from tools.references import PAGE as FILE
from tools.references import meanings, metrics, rendered

PAGE = FILE.read_text()


def test_operate_page_has_what_is_declared():
    assert rendered(PAGE) == PAGE


@pytest.mark.parametrize("name", ["port", "max_connections", "evilpegs_open_matches", "evilpegs_streams"])
def test_operate_page_without_row_differs(name):
    """The control of the test above."""
    page = re.sub(rf"\| `{name}` \|.*\n", "", PAGE)
    assert page != PAGE
    assert rendered(page) == PAGE


class Declared:
    first: int
    """The first, in
    two lines."""
    second: int


def test_field_without_docstring_has_no_meaning():
    assert meanings(Declared) == {"first": "the first, in two lines"}


def test_each_metric_has_one_place():
    game, site = ({row.split()[1] for row in rows} for rows in metrics())
    assert game.isdisjoint(site)


def test_operate_page_explains_every_sign_of_attack():
    (signs,) = re.findall(r"^\| growing \|.*?\n\n", PAGE, re.DOTALL | re.MULTILINE)
    named = set(re.findall(r"`(\w+)`", signs))
    assert {*EndReason, *Limit, RATE_LIMIT, PRACTICE_LIMIT} <= named


def test_operate_page_has_every_error_of_storage():
    classes = {name for name, each in vars(errors).items() if isinstance(each, type) and name.startswith("Database")}
    assert classes <= set(re.findall(r"^\| `(\w+)`", PAGE.split("## Errors of the storage")[1], re.MULTILINE))


def test_operate_page_toml_is_read(tmp_path, monkeypatch):
    blocks = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        Path("evilpegs.toml").write_text(block)
        assert Settings().model_fields_set >= tomllib.loads(block).keys()
