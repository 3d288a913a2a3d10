"""Units of work and their outcomes."""

import pickle
from collections import Counter
from pathlib import Path

import pytest

from evilpegs_clients.evaluation.spec import Subject, source_of
from evilpegs_clients.evaluation.tasks import Choice, Chosen, Games, Part, Solved, after, history_text, outcome_of, play
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import StrategyError, seeded_choice
from evilpegs_game.errors import IllegalCodeError
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import Turn
from evilpegs_game.live.live_sets import ENUMERATED_CODES, LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

SMALL = Rules(3, 3)
HISTORY = (Turn((0, 0, 1), Feedback(1, 0)),)
MINE = "def choose(position, rng):\n    return position.first_candidate\n"


def subject(strategy="minimax", rules=SMALL, **fields):
    return Subject(strategy, source_of(strategy), rules, **fields)


def test_units_of_choice_add_up():
    whole = subject()
    chosen = play(Choice(whole, (), 27))
    solved = Counter({1: chosen.parts[3, 0]})
    for given, size in chosen.parts.items():
        if given != (3, 0):
            part = play(Part(whole, after((), chosen.guess, given), size))
            assert sum(part.distribution) == size
            solved.update(dict(enumerate(part.distribution, 2)))
    assert sorted(solved.items()) == [(1, 1), (2, 7), (3, 17), (4, 2)]


@pytest.mark.parametrize("strategy", ["minimax", "first-consistent", "random-consistent", "sampled"])
def test_unit_outcome_survives_pickling(strategy):
    for unit in (
        Choice(subject(strategy), HISTORY, 6),
        Part(subject(strategy), HISTORY, 6),
        Games(subject(strategy, games=5), 2, 4),
    ):
        assert play(pickle.loads(pickle.dumps(unit))) == play(unit)


def test_unit_plays_given_first_guess():
    given = subject(first="123")
    assert play(Choice(given, (), 27)).guess == (0, 1, 2)
    assert play(Part(given, (), 27)).distribution[0] == 1
    assert play(Part(given, HISTORY, 6)) == play(Part(subject(), HISTORY, 6))


@pytest.mark.parametrize("strategy", ["random-consistent", "sampled"])
def test_units_draw_alike_from_counted_candidates(strategy):
    rules = Rules(4, 18)
    assert rules.size > ENUMERATED_CODES
    counted = subject(strategy, rules)
    choose = seeded_choice(load_strategy(strategy))
    assert play(Choice(counted, (), rules.size)).guess == choose(Position(rules, (), LiveSets()))
    history = (Turn((0, 0, 1, 2), Feedback(2, 0)),)
    listed = Position(rules, history, LiveSets())
    size = listed.candidates.shape[1]
    chosen = play(Choice(counted, history, size))
    assert chosen.guess == choose(listed)
    solved = Counter({1: chosen.parts.get(Feedback(4, 0), 0)})
    for given, size in chosen.parts.items():
        if given != (4, 0):
            part = play(Part(counted, after(history, chosen.guess, given), size))
            solved.update(dict(enumerate(part.distribution, 2)))
    whole = play(Part(counted, history, size)).distribution
    assert +solved == +Counter(dict(enumerate(whole, 1)))


def test_games_unit_plays_numbered_games():
    blocks = [play(Games(subject(games=9), start, start + 3)).distribution for start in (0, 3, 6)]
    together = play(Games(subject(games=9), 0, 9)).distribution
    assert [sum(block) for block in blocks] == [3, 3, 3]
    assert sum(map(Counter, map(dict, map(enumerate, blocks))), Counter()) == Counter(dict(enumerate(together)))


def test_games_unit_plays_given_first_guess():
    with_first = play(Games(subject(first="333", games=200), 0, 200)).distribution
    alone = play(Games(subject(games=200), 0, 200)).distribution
    assert with_first != alone
    assert play(Games(subject(first="112", games=200), 0, 200)).distribution == alone


def test_unit_outcome_depends_on_seed():
    games = [play(Games(subject("random-consistent", games=50, seed=seed), 0, 50)) for seed in (1, 1, 2)]
    assert games[0] == games[1] != games[2]
    parts = [play(Part(subject("random-consistent", Rules(4, 4), seed=seed), (), 256)) for seed in (1, 1, 2)]
    assert parts[0] == parts[1] != parts[2]


def test_games_unit_refuses_illegal_choice(tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return (0, 0)\n")
    with pytest.raises(StrategyError, match=r"mine\.py .*\(0, 0\)"):
        play(Games(subject(str(tmp_path / "mine.py"), games=1), 0, 1))


def test_unit_carries_text_of_strategy_file(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    unit = Part(subject(str(tmp_path / "mine.py")), (), 27)
    here = play(unit)
    (tmp_path / "mine.py").unlink()
    elsewhere = Part(Subject("/elsewhere/mine.py", unit.subject.source, SMALL), (), 27)
    assert play(elsewhere) == here == play(Part(subject("first-consistent"), (), 27))
    assert elsewhere.subject.load().name == "mine.py"


def test_unit_plays_strategy_file_as_it_was(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    before = subject(str(tmp_path / "mine.py"))
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return (0, 0, 0)\n")
    assert play(Choice(before, HISTORY, 6)).guess == play(Choice(subject("first-consistent"), HISTORY, 6)).guess


def test_source_of_refuses_unreadable_file(tmp_path):
    (tmp_path / "mine.py").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(StrategyError, match=r"mine\.py") as caught:
        source_of(str(tmp_path / "mine.py"))
    assert isinstance(caught.value.__cause__, UnicodeDecodeError)
    unreadable = Subject(str(tmp_path / "mine.py"), MINE, SMALL)
    assert play(Choice(unreadable, (), 27)).guess == (0, 0, 0)


def test_source_of_names_is_none(tmp_path):
    assert source_of("minimax") is None
    assert source_of("minimox") is None
    assert source_of(str(tmp_path / "none.py")) is None


def test_subject_digest_covers_every_field(tmp_path):
    (tmp_path / "minimax").mkdir()
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(MINE)
    a, b = (subject(str(tmp_path / folder / "mine.py")) for folder in ("a", "b"))
    Path(tmp_path / "b" / "mine.py").write_text(MINE + "\n")
    others = [
        subject(),
        subject("entropy"),
        subject(rules=Rules(3, 3, repeats=False)),
        subject(first="112"),
        subject(candidates_only=True),
        subject(games=5),
        subject(seed=1),
        a,
        subject(str(tmp_path / "b" / "mine.py")),
    ]
    assert len({other.digest for other in others}) == len(others)
    assert a.digest == b.digest
    assert len(a.digest) == 64


def test_subject_check_refuses_bad_input():
    with pytest.raises(IllegalCodeError):
        subject(first="114").check()
    with pytest.raises(StrategyError):
        subject("minimox").check()
    subject(first="113").check()


@pytest.mark.parametrize("outcome", [Solved((1, 0, 2)), Chosen((0, 0, 1), {Feedback(0, 1): 6, Feedback(3, 0): 1})])
def test_outcome_json_round_trips(outcome):
    assert outcome_of(outcome.to_json(), SMALL) == outcome


def test_unit_keys_differ():
    assert history_text(HISTORY * 2) == "112:1,0 112:1,0"
    units = [
        Choice(subject(), (), 27),
        Part(subject(), (), 27),
        Part(subject(), HISTORY, 6),
        Choice(subject(), HISTORY, 6),
        Games(subject(games=9), 0, 3),
        Games(subject(games=9), 3, 6),
    ]
    assert [unit.key for unit in units] == [
        "choice", "part", "part 112:1,0", "choice 112:1,0", "games 0 3", "games 3 6",
    ]  # fmt: skip
