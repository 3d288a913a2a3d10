"""Units and their outcomes."""

import pickle
from collections import Counter
from pathlib import Path

import pytest

from evilpegs_clients.evaluation.spec import StrategySpec, make_specs
from evilpegs_clients.evaluation.work_units import (
    ChoiceUnit,
    ChosenGuess,
    GamesUnit,
    PlayedGames,
    SolvedCounts,
    SubtreeUnit,
)
from evilpegs_clients.strategies.loading import load_strategy, read_source
from evilpegs_clients.strategies.strategy import StrategyError, seeded_choice
from evilpegs_game.errors import IllegalCodeError
from evilpegs_game.feedback import Feedback, Turn, format_turns
from evilpegs_game.live.live_sets import ENUMERATED_CODES, LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

SMALL = Rules(3, 3)
HISTORY = (Turn((0, 0, 1), Feedback(1, 0)),)
MINE = "def choose(position, rng):\n    return position.first_candidate\n"


def spec(strategy="minimax", rules=SMALL, **fields):
    return StrategySpec(strategy, read_source(strategy), rules, **fields)


def test_units_below_choice_add_up():
    whole = spec()
    chosen = ChoiceUnit(whole, (), 27).play()
    solved = Counter({1: chosen.parts[3, 0]})
    for given, size in chosen.parts.items():
        if given != (3, 0):
            part = SubtreeUnit(whole, (Turn(chosen.guess, given),), size).play()
            assert sum(part.distribution) == size
            solved.update(dict(enumerate(part.distribution, 2)))
    assert sorted(solved.items()) == [(1, 1), (2, 7), (3, 17), (4, 2)]


@pytest.mark.parametrize("strategy", ["minimax", "first-consistent", "random-consistent", "sampled"])
def test_unit_outcome_survives_pickling(strategy):
    for unit in (
        ChoiceUnit(spec(strategy), HISTORY, 6),
        SubtreeUnit(spec(strategy), HISTORY, 6),
        GamesUnit(spec(strategy, games=5), 2, 4),
    ):
        assert pickle.loads(pickle.dumps(unit)).play() == unit.play()


def test_unit_plays_given_first_guess():
    given = spec(first="123")
    assert ChoiceUnit(given, (), 27).play().guess == (0, 1, 2)
    assert SubtreeUnit(given, (), 27).play().distribution[0] == 1
    assert SubtreeUnit(given, HISTORY, 6).play() == SubtreeUnit(spec(), HISTORY, 6).play()


@pytest.mark.parametrize("strategy", ["random-consistent", "sampled"])
def test_units_draw_alike_from_counted_candidates(strategy):
    rules = Rules(4, 18)
    assert rules.size > ENUMERATED_CODES
    counted = spec(strategy, rules)
    choose = seeded_choice(load_strategy(strategy))
    assert ChoiceUnit(counted, (), rules.size).play().guess == choose(Position(rules, (), LiveSets()))
    history = (Turn((0, 0, 1, 2), Feedback(2, 0)),)
    listed = Position(rules, history, LiveSets())
    size = listed.candidates.shape[1]
    chosen = ChoiceUnit(counted, history, size).play()
    assert chosen.guess == choose(listed)
    solved = Counter({1: chosen.parts.get(Feedback(4, 0), 0)})
    for given, size in chosen.parts.items():
        if given != (4, 0):
            part = SubtreeUnit(counted, (*history, Turn(chosen.guess, given)), size).play()
            solved.update(dict(enumerate(part.distribution, 2)))
    whole = SubtreeUnit(counted, history, size).play().distribution
    assert +solved == +Counter(dict(enumerate(whole, 1)))


def test_games_unit_plays_numbered_games():
    blocks = [GamesUnit(spec(games=9), start, start + 3).play().distribution for start in (0, 3, 6)]
    together = GamesUnit(spec(games=9), 0, 9).play().distribution
    assert [sum(block) for block in blocks] == [3, 3, 3]
    assert sum(map(Counter, map(dict, map(enumerate, blocks))), Counter()) == Counter(dict(enumerate(together)))


def test_games_unit_plays_given_first_guess():
    with_first = GamesUnit(spec(first="333", games=200), 0, 200).play().distribution
    alone = GamesUnit(spec(games=200), 0, 200).play().distribution
    assert with_first != alone
    assert GamesUnit(spec(first="112", games=200), 0, 200).play().distribution == alone


def test_unit_outcome_depends_on_seed():
    games = [GamesUnit(spec("random-consistent", games=50, seed=seed), 0, 50).play() for seed in (1, 1, 2)]
    assert games[0] == games[1] != games[2]
    parts = [SubtreeUnit(spec("random-consistent", Rules(4, 4), seed=seed), (), 256).play() for seed in (1, 1, 2)]
    assert parts[0] == parts[1] != parts[2]


def test_games_unit_refuses_illegal_choice(tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return (0, 0)\n")
    with pytest.raises(StrategyError, match=r"mine\.py .*\(0, 0\)"):
        GamesUnit(spec(str(tmp_path / "mine.py"), games=1), 0, 1).play()


def test_unit_carries_text_of_strategy_file(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    unit = SubtreeUnit(spec(str(tmp_path / "mine.py")), (), 27)
    here = unit.play()
    (tmp_path / "mine.py").unlink()
    elsewhere = SubtreeUnit(StrategySpec("/elsewhere/mine.py", unit.spec.source, SMALL), (), 27)
    assert elsewhere.play() == here == SubtreeUnit(spec("first-consistent"), (), 27).play()
    assert elsewhere.spec.load().name == "mine.py"


def test_unit_plays_strategy_file_as_it_was(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    before = spec(str(tmp_path / "mine.py"))
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return (0, 0, 0)\n")
    assert ChoiceUnit(before, HISTORY, 6).play().guess == ChoiceUnit(spec("first-consistent"), HISTORY, 6).play().guess


def test_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "mine.py").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(StrategyError, match=r"mine\.py"):
        spec(str(tmp_path / "mine.py")).load()
    unreadable = StrategySpec(str(tmp_path / "mine.py"), MINE.encode(), SMALL)
    assert ChoiceUnit(unreadable, (), 27).play().guess == (0, 0, 0)


def test_read_source_names_is_none(tmp_path):
    assert read_source("minimax") is None
    assert read_source("minimox") is None
    assert read_source(str(tmp_path / "none.py")) is None


def test_spec_digest_covers_every_field(tmp_path):
    (tmp_path / "minimax").mkdir()
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(MINE)
    a, b = (spec(str(tmp_path / folder / "mine.py")) for folder in ("a", "b"))
    Path(tmp_path / "b" / "mine.py").write_text(MINE + "\n")
    others = [
        spec(),
        spec("entropy"),
        spec(rules=Rules(3, 3, repeats=False)),
        spec(first="112"),
        spec(candidates_only=True),
        spec(games=5),
        spec(seed=1),
        a,
        spec(str(tmp_path / "b" / "mine.py")),
    ]
    assert len({other.digest for other in others}) == len(others)
    assert a.digest == b.digest
    assert len(a.digest) == 64


def test_make_specs_refuses_bad_input():
    with pytest.raises(IllegalCodeError):
        make_specs(["minimax"], SMALL, "114", False, 0, 0)
    with pytest.raises(StrategyError):
        make_specs(["minimox"], SMALL, None, False, 0, 0)
    assert make_specs(["minimax"], SMALL, "113", False, 0, 0)


@pytest.mark.parametrize(
    ("unit", "outcome"),
    [
        (SubtreeUnit(spec(), (), 3), SolvedCounts((1, 0, 2))),
        (SubtreeUnit(spec(), (), 3), SolvedCounts((1, 0, 2), ((5, (0, 1, 2)), (3, (0, 0, 0))))),
        (GamesUnit(spec(), 0, 3), PlayedGames(bytes([3, 1, 200]))),
        (ChoiceUnit(spec(), (), 7), ChosenGuess((0, 0, 1), {Feedback(0, 1): 6, Feedback(3, 0): 1})),
    ],
)
def test_outcome_json_round_trips(unit, outcome):
    assert unit.recall(outcome.to_json()) == outcome


def test_unit_keys_differ():
    assert format_turns(HISTORY * 2) == ["112:1,0", "112:1,0"]
    units = [
        ChoiceUnit(spec(), (), 27),
        SubtreeUnit(spec(), (), 27),
        SubtreeUnit(spec(), HISTORY, 6),
        ChoiceUnit(spec(), HISTORY, 6),
        GamesUnit(spec(games=9), 0, 3),
        GamesUnit(spec(games=9), 3, 6),
    ]
    assert [unit.key for unit in units] == [
        "choice", "part", "part 112:1,0", "choice 112:1,0", "games 0 3", "games 3 6",
    ]  # fmt: skip
