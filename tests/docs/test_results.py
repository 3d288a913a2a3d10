"""The exact figures of docs/results.md are those of the program, and its script makes tables that hold."""

import json
import re
import sys
import tomllib
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

import evilpegs
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_game.evaluation.expectation import expected_guesses
from evilpegs_game.rules import Rules
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.site.bounds import RESULTS_FILE

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/results.md").read_text()
GOLDEN = json.loads((ROOT / "tests/golden/golden.json").read_text())
LADDERS = load_ladders()
FIXED = {name: each for name, each in LADDERS.items() if each.codemaker == "fixed" and f"{name}-blitz" in LADDERS}
ROW = re.compile(r"^\| `([\w-]+)` \| (.*) \| (.*) \| (.*) \| (.*) \|$", re.MULTILINE)
SECTION = r"^### {}: .*\n((?:(?!##).*\n)*)"


def section(ladder, text=TEXT):
    """Return the text below the heading of a ladder."""
    (found,) = re.findall(SECTION.format(ladder), text, re.MULTILINE)
    return found


def rows(text):
    """Return the cells of a table by the name of the strategy."""
    return {name: cells for name, *cells in ROW.findall(text)}


def ends(interval):
    return [float(end) for end in re.findall(r"[\d.]+", interval)]


@pytest.fixture(scope="module")
def script():
    """Provide the modules of the script by name."""
    sys.path.insert(0, str(ROOT / "bench"))
    try:
        yield {
            name: import_module(f"ladder_results.{name}")
            for name in ("cells", "journal", "measuring", "page", "tables")
        }
    finally:
        sys.path.remove(str(ROOT / "bench"))


@pytest.mark.parametrize("ladder", FIXED)
def test_every_strategy_occurs_on_every_fixed_ladder(ladder):
    text = section(ladder)
    refusals = re.findall(r"^\* No result: (.*?)\.\s+Reason", text, re.MULTILINE | re.DOTALL)
    refused = set(re.findall(r"`([\w-]+)`", " ".join(refusals)))
    assert refused | set(rows(text)) == set(STRATEGIES)
    assert not refused & set(rows(text))
    assert f"### {ladder}: {FIXED[ladder].rules}, {FIXED[ladder].rules.size:,} codes" in TEXT


@pytest.mark.parametrize("ladder", [f"{name}-{end}" for name in FIXED for end in ("evil", "devil")])
def test_every_strategy_occurs_on_every_adversary_ladder(ladder):
    if ladder in LADDERS:
        text = section(ladder)
        assert all(f"`{name}`" in text for name in STRATEGIES)
        assert f"`{ladder}-practice`" in text


@pytest.mark.parametrize(
    "row",
    [row for row in GOLDEN["totals"] + GOLDEN["large_totals"] if "guesses" not in row],
    ids=lambda row: f"{row['rules']} {row['strategy']}",
)
def test_exact_results_are_those_of_golden_data(row):
    for name, ladder in FIXED.items():
        if str(ladder.rules) == row["rules"]:
            mean, interval, worst, found = rows(section(name))[row["strategy"]]
            assert mean == f"{row['total'] / ladder.rules.size:.4f}"
            assert (interval, worst) == ("", str(row["max"]))
            assert f"{row['total']:,} guesses for all" in found


def test_results_of_classic_are_those_of_program():
    shown = rows(section("classic"))
    for name in ("minimax", "entropy", "expected-size", "optimal", "first-consistent"):
        result = evilpegs.evaluate(name, rules="4x6")
        mean, _, worst, found = shown[name]
        assert (mean, worst) == (f"{result.mean:.4f}", str(result.max))
        assert f"{result.total:,} guesses" in found


def test_interval_of_random_guesses_contains_exact_mean():
    mean, interval, _, _ = rows(section("classic"))["random-consistent"]
    low, high = ends(interval)
    assert low < float(mean) < high


def test_sampled_means_are_inside_their_intervals():
    sampled = [cells for name in FIXED for cells in rows(section(name)).values() if cells[1]]
    assert sampled
    for mean, interval, _, found in sampled:
        low, high = ends(interval)
        assert low < float(mean) < high
        assert "games" in found


@pytest.mark.parametrize("codemaker", ["evil", "devil"])
def test_practice_lines_are_those_of_program(codemaker):
    shown = rows(section(f"classic-{codemaker}"))
    for name in ("first-consistent", "minimax", "entropy", "most-parts", "optimal"):
        assert shown[name][0] == str(len(evilpegs.duel(name, codemaker=codemaker, rules="4x6").turns))


def test_page_lists_every_known_result():
    for row in tomllib.loads(RESULTS_FILE.read_text())["results"]:
        figure = f"{row['total']:,} guesses in all" if "total" in row else f"worst case {row['guesses']}"
        proved = "yes" if row["proved"] else "no"
        start = rf"^\| `{row['rules']}` \| {figure} \| [\d.]* \| {proved} \| {row['date']} \| "
        assert re.search(start + re.escape(row["source"]), TEXT, re.MULTILINE)


def test_proved_results_are_best_on_page():
    for row in tomllib.loads(RESULTS_FILE.read_text())["results"]:
        for name, ladder in FIXED.items():
            if str(ladder.rules) == row["rules"] and "total" in row:
                means = [float(cells[0]) for cells in rows(section(name)).values() if not cells[1]]
                assert min(means) >= round(row["total"] / ladder.rules.size, 4)


def test_interval_of_deterministic_games_contains_exact_mean(script):
    measuring, minimax = script["measuring"], evilpegs.load_strategy("minimax")
    exact = measuring.measure_fixed(minimax, LADDERS["classic"], 1, 1)
    curve = measuring.load_value_curve(Rules(4, 6), 10)
    raw, adjusted = measuring.play_fixed(minimax, LADDERS["classic"], curve, 300, 1)
    for scores in (raw, adjusted):
        low, high = measuring.interval(scores)
        assert low < exact.mean < high
    assert measuring.interval(adjusted)[1] - measuring.interval(adjusted)[0] < 0.05


@pytest.mark.full
@pytest.mark.parametrize("name", ["entropy", "expected-size", "lexicographic", "minimax", "most-parts", "two-ply"])
def test_exact_means_of_large_rules_are_in_intervals_of_games(script, name):
    """Of 6x10, where all 1,000,000 secrets take minutes; the interval is wider than that of 95 %."""
    measuring = script["measuring"]
    mean, _, _, found = rows(section("grand"))[name]
    curve = measuring.load_value_curve(Rules(6, 10), 20)
    _, adjusted = measuring.play_fixed(evilpegs.load_strategy(name), LADDERS["grand"], curve, 12, 1)
    low, high = measuring.interval(adjusted)
    assert abs(float(mean) - (low + high) / 2) < high - low < 0.4
    assert f"{float(mean) * 10**6:,.0f}"[:5] == found.removeprefix("exact: ")[:5]


def test_script_writes_page_of_tiny_ladders(script):
    tiny = [replace(LADDERS[name], rules=Rules(3, 3), exact_up_to=27) for name in LADDERS if name.startswith("classic")]
    outcomes = script["cells"].measure_all(script["cells"].make_cells(tiny, 20), 1, 1)
    page = script["page"].write_page(tiny, outcomes, "made by a test")
    shown = rows(section("classic", page))
    assert shown["minimax"][0] == f"{74 / 27:.4f}"
    assert shown["first-consistent"][2:] == ["5", "exact: 89 guesses for all 27 secrets"]
    assert shown["random-consistent"][0] == f"{float(expected_guesses(Rules(3, 3))):.4f}"
    assert set(shown) == set(STRATEGIES)
    assert all(len(line) <= 120 for line in page.splitlines() if not line.startswith("|"))


def test_script_goes_on_where_it_was_stopped(script, tmp_path, monkeypatch):
    path, cells, measuring = tmp_path / "journal.jsonl", script["cells"], script["measuring"]
    tiny = [replace(LADDERS[name], rules=Rules(3, 3)) for name in ("classic", "classic-evil")]
    chosen = [cell for cell in cells.make_cells(tiny, 30) if cell.strategy in ("sampled", "minimax")]
    outcomes = cells.measure_all(chosen, 1, 1, path)
    assert outcomes == cells.measure_all(chosen, 1, 1)
    *kept, last = path.read_text().splitlines(keepends=True)
    block = next(line for line in kept if '"games"' in line)
    path.write_text("".join([*(line for line in kept if line != block), last[:-9]]))
    played, play = [], measuring.play
    monkeypatch.setattr(measuring, "play", lambda *game: played.append(game) or play(*game))
    assert cells.measure_all(chosen, 1, 1, path) == outcomes
    assert 0 < len(played) <= 60
    played.clear()
    assert cells.measure_all(chosen, 1, 1, path) == outcomes
    assert not played
    assert script["journal"].Journal(path).seconds > 0


def test_script_names_reasons_once(script):
    ladder = LADDERS["huge"]
    outcomes = {(ladder.id, name): script["cells"].Refusal("too large") for name in STRATEGIES}
    (line,) = script["tables"].refusals([ladder], outcomes)
    assert line.count("too large") == 1
    assert all(f"`{name}`" in line for name in STRATEGIES)


def test_slow_game_ends_with_error(script):
    measuring = script["measuring"]
    with pytest.raises(measuring.SlowGameError, match=r"more than 0\.01 seconds"), measuring.limited_time(0.01):
        any(iter(lambda: False, True))
