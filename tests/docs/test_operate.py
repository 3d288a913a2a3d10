"""docs/operate.md lists every setting with its default, every metric and every error of storage."""

import re
import tomllib
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from evilpegs_server.gateway.admission import Limit
from evilpegs_server.play.counts import PRACTICE_LIMIT, RATE_LIMIT, EndReason
from evilpegs_server.settings import Settings
from evilpegs_server.storage import errors
from support.patience import PATIENCE
from support.site_server import played_site

PAGE = (Path(__file__).parents[2] / "docs/operate.md").read_text()


def table(heading):
    """Return the first two columns of the first table of a section."""
    (section,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    return dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", section.split("\n\n|", 1)[1].split("\n\n")[0], re.MULTILINE))


def shown(name):
    """Return the default of a setting as the page shows it."""
    default = Settings.model_fields[name].default
    if name in {"database", "node"}:  # which a function makes
        return {"database": "in the user's data directory", "node": "the name of the machine"}[name]
    if default is None or default in ((), {}):
        return "none"
    if isinstance(default, bool):
        return str(default).lower()
    return f"`{default}`" if isinstance(default, str) else f"{default:g}" if default < 1_000_000 else str(default)


def problems(documented):
    """Return the settings that the page does not have, has too much, or with another default."""
    expected = {name: shown(name) for name in Settings.model_fields}
    return {name for name in expected.keys() | documented.keys() if expected.get(name) != documented.get(name)}


def test_operate_page_has_every_setting_with_its_default():
    settings, limits = table("Settings"), table("Limits")
    assert settings.keys() & limits.keys() == set()
    assert problems(settings | limits) == set()


def test_operate_page_comparison_notices_wrong_default():
    """The control of the test above."""
    documented = table("Settings") | table("Limits")
    assert problems(documented | {"max_connections": "2001"}) == {"max_connections"}
    assert problems(documented | {"more": "1"}) == {"more"}
    del documented["port"]
    assert problems(documented) == {"port"}


def test_operate_page_has_every_limit_under_limits():
    """Whatever has a bound below which or above which somebody is refused is a limit and not only a setting."""
    numbers = {name for name, each in Settings.model_fields.items() if type(each.default) in {int, float}}
    assert table("Limits").keys() == numbers - {"port", "site_port", "lease_seconds"}
    assert {*Limit, RATE_LIMIT, PRACTICE_LIMIT} <= table("Limits").keys()


def families(text):
    """Return the metrics on a page by name, with the names of their labels."""
    return {
        family.name + ("_total" if family.type == "counter" else ""): {
            label for sample in family.samples for label in sample.labels
        }
        - {"le"}
        for family in text_string_to_metric_families(text)
        if family.name.startswith("evilpegs_")
    }


@pytest.fixture(scope="module")
def metrics(tmp_path_factory):
    """The metrics of the game and of the site of a server on which matches were played, by section of the page."""
    with played_site(f"sqlite:///{tmp_path_factory.mktemp('operate') / 'a.sqlite3'}") as played:
        game = played.game_url.replace("ws://", "http://").removesuffix("v1")
        urls = {"Metrics": game, "Metrics of the site": played.url}
        for url in urls.values():
            httpx.post(url + "metrics", headers={"Host": "stranger.example"}, timeout=PATIENCE)
        return {heading: families(httpx.get(url + "metrics", timeout=PATIENCE).text) for heading, url in urls.items()}


@pytest.mark.parametrize("heading", ["Metrics", "Metrics of the site"])
def test_operate_page_has_every_metric_with_its_labels(metrics, heading):
    documented = {name: set(re.findall(r"`(\w+)`", labels)) for name, labels in table(heading).items()}
    assert documented.keys() == metrics[heading].keys()
    wrong = {name for name, labels in metrics[heading].items() if labels and labels != documented[name]}
    assert wrong == set()


def test_each_metric_has_one_place(metrics):
    assert metrics["Metrics"].keys() & metrics["Metrics of the site"].keys() == set()


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
