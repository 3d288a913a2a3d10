"""The tables of settings, limits and metrics in docs/operate.md, written again by ``make references``.

The meaning of a setting is the docstring below it, and that of a metric is the text that a scraper gets.
"""

import ast
import inspect
import textwrap
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

from evilpegs_game.live.cache import ByteCache
from evilpegs_server.gateway.admission import Admission
from evilpegs_server.gateway.metrics import GameMetrics
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.play.counts import ServerCounts
from evilpegs_server.play.open_matches import OpenMatches
from evilpegs_server.play.served_ladders import ServedLadders
from evilpegs_server.settings import Settings
from evilpegs_server.show.crowd import Crowd
from evilpegs_server.site.metrics import ShowMetrics, SiteCounts
from evilpegs_server.storage.durations import Durations
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.scheduler import ONE_AT_A_TIME

PAGE = Path(__file__).parents[1] / "docs/operate.md"
MADE = {"database": "in the user's data directory", "node": "the name of the machine"}
"""Defaults that a function makes."""
NO_LIMITS = {"port", "site_port", "lease_seconds"}
"""Settings that are numbers and refuse nobody."""


def meanings(cls):
    """Return the docstring below each field of a class, as the end of a sentence that begins with its name."""
    (body,) = (each.body for each in ast.parse(textwrap.dedent(inspect.getsource(cls))).body)
    return {
        field.target.id: cell(" ".join(below.value.value.split()))
        for field, below in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr)
    }


def cell(sentence):
    first = sentence[0] if sentence[1].isupper() else sentence[0].lower()
    return first + sentence[1:].removesuffix(".")


def shown(name, default):
    if name in MADE:
        return MADE[name]
    if default is None or default in ((), {}):
        return "none"
    if isinstance(default, bool):
        return str(default).lower()
    return f"`{default}`" if isinstance(default, str) else f"{default:g}" if default < 1_000_000 else str(default)


def settings():
    """Return the rows of the settings, and those of the limits."""
    texts, rows = meanings(Settings), ([], [])
    for name, field in Settings.model_fields.items():
        is_limit = type(field.default) in {int, float} and name not in NO_LIMITS
        rows[is_limit].append(f"| `{name}` | {shown(name, field.default)} | {texts[name]} |")
    return rows


def metrics():
    """Return the rows of the metrics of the game, and those of the site, of a server that counts one of everything."""
    any_counts = ServerCounts()
    for each in (any_counts.refusals, any_counts.http_refusals, any_counts.faults):
        each["any"] += 1
    statuses = SiteCounts()
    statuses.note_status(404)
    services = SimpleNamespace(
        registry=SimpleNamespace(
            counts=any_counts, open=OpenMatches(), ladders=ServedLadders(load_ladders(), lambda _: None)
        ),
        admission=Admission(Settings()),
        writer=SimpleNamespace(commits=Durations(), health=SimpleNamespace(failed=False, stuck=False, obstacle=None)),
        players=(),
        presence=SimpleNamespace(table_sizes=dict),
    )
    streams, follower = SimpleNamespace(open=0), SimpleNamespace(sent=0, position=0)
    leaderboards = SimpleNamespace(counting=SimpleNamespace(broken=(), awaited=()))
    pools, caches = {"any": TaskPool(ONE_AT_A_TIME, None, float)}, {"any": ByteCache(1)}
    game = GameMetrics(services, Durations(), pools, lambda: {"any": caches["any"].state})
    site = ShowMetrics(statuses, streams, Crowd(), follower, leaderboards, pools, caches)
    return tuple([metric(family) for family in each.collect()] for each in (game, site))


def metric(family):
    labels = {label: None for sample in family.samples for label in sample.labels if label != "le"}
    name = family.name + ("_total" if family.type == "counter" else "")
    return f"| `{name}` | {''.join(f'`{label}` ' for label in labels)}| {cell(family.documentation)} |"


def with_rows(page, heading, rows):
    """Return the page with these rows in the first table below a heading."""
    first = page.index("\n|---|", page.index(f"\n## {heading}\n")) + 1
    first = page.index("\n", first)
    return page[:first] + "\n" + "\n".join(rows) + page[page.index("\n\n", first) :]


def rendered(page):
    """Return the page with the tables that follow from the declarations."""
    headings = ("Settings", "Limits", "Metrics", "Metrics of the site")
    for heading, rows in zip(headings, (*settings(), *metrics()), strict=True):
        page = with_rows(page, heading, rows)
    return page


if __name__ == "__main__":
    PAGE.write_text(rendered(PAGE.read_text()))
