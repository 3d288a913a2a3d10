"""Every public name, called with thirty kinds of nonsense, answers correctly or with one clear error.

Each callable has one good call. Every argument in turn is replaced by each nonsense value. What is not refused must be
harmless: the value means the same as a good one, so the result is that of a good call.
"""

import inspect
import itertools
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import pytest

import evilpegs
from evilpegs import Feedback, Fixed, Position, Rules, Turn
from evilpegs_clients.connection.connection import RetryPolicy
from evilpegs_clients.errors import ServerUnreachableError


class Hostile:
    """An object that fails whatever is done with it."""

    def __repr__(self):
        raise RuntimeError("no repr")

    def __getattr__(self, name):
        raise AttributeError(name)


NONSENSE = [
    *(None, True, -1, 0, 1.5, 4.0, float("nan"), float("inf"), 10**30, -(10**30), 1j),
    *("", " ", "\0", "x" * 5000, "1177", "4x99", "1122", "9,9", "minimaks", "1122:1,0 1344:0,2"),
    *((), (0, 0, 1, 9), (0, 0, 1), (0.0, 0.5, 1, 1), (-1, 0, 0, 0), ("1", "1", "2", "2"), (10**30, 0, 0, 0)),
    *([], [[]], {}, {0: 1}, {0, 1}, b"1122", range(10**12), itertools.count(), iter(()), object(), object, len),
    *(np.array([0.5, 1.5]), np.zeros((2, 2), int), np.float64(2.5), Hostile(), Exception("x"), lambda: None, Path("/")),
]
RULES, CODE, GOOD_TURN = Rules(4, 6), (0, 0, 1, 1), ("1122", "1,0")
SMALL = "2x2"
RECORD = Path(__file__).parents[2] / "compatibility" / "v0.1.0" / "evil.jsonl"
TREE = "evilpegs tree 1\nrules 1x2\n1\n  0,0 2\n"


def position():
    return Position(RULES, [GOOD_TURN])


def result():
    return evilpegs.evaluate("minimax", SMALL)


def first_event(**arguments):
    with closing(evilpegs.events(**arguments)) as stream:
        return next(stream)


# a good call of each: the callable, and its arguments by name
CALLS = {
    "Certificate": (evilpegs.Certificate, {"rules": RULES, "distribution": (1, 2)}),
    "Devil": (evilpegs.Devil, {"worst_case": evilpegs.Devil.for_rules(SMALL).worst_case, "exact_up_to": 4}),
    "Devil.for_rules": (evilpegs.Devil.for_rules, {"rules": SMALL, "exact_up_to": 4}),
    "Devil.reply": (evilpegs.Devil.for_rules("4x6", 0).reply, {"position": position(), "guess": CODE}),
    "Devil.allowed_replies": (
        evilpegs.Devil.for_rules("4x6", 0).allowed_replies,
        {"position": position(), "guess": CODE},
    ),
    "Devil.method_for": (evilpegs.Devil.for_rules(SMALL).method_for, {"candidates": 2}),
    "Evil": (evilpegs.Evil, {"tie_break": None}),
    "Evil.reply": (evilpegs.Evil().reply, {"position": position(), "guess": CODE}),
    "Feedback": (Feedback, {"black": 1, "white": 0}),
    "Feedback.check": (Feedback(1, 0).check, {"pegs": 4}),
    "Feedback.parse": (Feedback.parse, {"text": "1,0"}),
    "Fixed": (Fixed, {"secret": CODE}),
    "Fixed.reply": (Fixed(CODE).reply, {"position": position(), "guess": CODE}),
    "Position": (Position, {"rules": "4x6", "history": [GOOD_TURN], "live_sets": None, "budget": 9}),
    "Position.after": (position().after, {"guess": CODE, "feedback": (1, 0)}),
    "Position.candidate": (position().candidate, {"index": 0}),
    "Position.is_candidate": (position().is_candidate, {"code": CODE}),
    "Position.part_sizes": (position().part_sizes, {"guess": CODE}),
    "Position.parts": (position().parts, {"guess": CODE}),
    "Position.sample": (position().sample, {"rng": Random(1), "count": 2}),
    "Position.split": (position().split, {"guess": CODE}),
    "Rules": (Rules, {"pegs": 4, "colors": 6, "repeats": True}),
    "Rules.parse": (Rules.parse, {"text": "4x6"}),
    "Tree": (evilpegs.Tree, {"rules": RULES, "root": evilpegs.parse_tree(TREE).root}),
    "Turn": (Turn, {"guess": CODE, "feedback": (1, 0)}),
    "advise": (evilpegs.advise, {"rules": SMALL, "turns": ["12:0,2"]}),
    "analyze": (evilpegs.analyze, {"rules": SMALL, "turns": ["12:0,2"], "thorough": False}),
    "certify": (evilpegs.certify, {"tree": TREE}),
    "compare": (
        partial(evilpegs.compare, max_pairs=30),
        {
            "strategy": "minimax",
            "other": "minimax",
            "rules": SMALL,
            "guess_limit": 9,
            "null": 0.0,
            "alternative": -0.2,
            "max_pairs": 30,
            "seed": 1,
        },
    ),
    "duel": (
        evilpegs.duel,
        {
            "strategy": "minimax",
            "codemaker": "fixed",
            "rules": SMALL,
            "secret": "12",
            "first": "11",
            "after": (),
            "seed": 0,
            "budget": 9999,
            "exact_up_to": None,
            "candidates_only": False,
        },
    ),
    "evaluate": (
        evilpegs.evaluate,
        {
            "strategy": "minimax",
            "rules": SMALL,
            "first": "11",
            "games": 3,
            "seed": 1,
            "candidates_only": False,
            "threads": 1,
            "jobs": 1,
        },
    ),
    "events": (first_event, {"server": "ws://127.0.0.1:1", "ladder": None, "match": None}),
    "feedback": (evilpegs.feedback, {"guess": CODE, "secret": CODE}),
    "format_code": (evilpegs.format_code, {"code": CODE}),
    "format_tree": (evilpegs.format_tree, {"tree": evilpegs.parse_tree(TREE)}),
    "Game": (
        evilpegs.Game,
        {"rules": SMALL, "codemaker": "fixed", "seed": None, "limit": 10, "secret": "12", "live_sets": None},
    ),
    "Game.guess": (evilpegs.Game("4x6").guess, {"code": CODE}),
    "leaderboard": (evilpegs.leaderboard, {"server": "ws://127.0.0.1:1", "ladder": "classic"}),
    "load_strategy": (evilpegs.load_strategy, {"name_or_path": "minimax", "candidates_only": False}),
    "parse_code": (evilpegs.parse_code, {"text": "1122", "rules": RULES}),
    "parse_tree": (evilpegs.parse_tree, {"text": TREE}),
    "partition": (evilpegs.partition, {"guess": CODE, "position": RULES}),
    "play": (
        partial(evilpegs.play, retry_policy=RetryPolicy(Random(1), attempts=0)),
        {"server": "ws://127.0.0.1:1", "ladder": "classic", "strategy": "minimax", "matches": 0},
    ),
    "plot": (evilpegs.plot, {"results": result(), "file": "a.svg"}),
    "replay": (partial(evilpegs.replay, server="ws://127.0.0.1:1"), {"match": "last"}),
    "replay server": (evilpegs.replay, {"server": "ws://127.0.0.1:1"}),
    "replay database": (evilpegs.replay, {"database": "sqlite:///missing.sqlite3"}),
    "replay file": (evilpegs.replay, {"file": RECORD, "analysis": True, "thorough": False}),
    "solve": (evilpegs.solve, {"rules": SMALL, "objective": "mean", "threads": 1, "against": None}),
    "tournament": (
        evilpegs.tournament,
        {
            "entrants": ("a=echo", "b=echo"),
            "rules": SMALL,
            "codemaker": "evil",
            "games": 1,
            "guess_limit": 9,
            "seconds": 1,
            "memory": 100,
            "jobs": 1,
            "seed": 1,
        },
    ),
    "tree": (
        evilpegs.tree,
        {"strategy": "minimax", "rules": SMALL, "first": "11", "seed": 0, "candidates_only": False},
    ),
    "verify": (partial(evilpegs.verify, RECORD), {"key": None}),
    "verify file": (evilpegs.verify, {"file": RECORD}),
    "verify_match": (evilpegs.verify_match, {"events": [], "nonces_sent": {}, "cache": None}),
}
# results, which these functions return and nobody else makes; protocols; types; a mapping; those for an event loop
WITHOUT_CALL = {
    *("Advice", "Contradiction", "Duel", "EvaluationResult", "EvaluationResults", "GameAnalysis"),
    *("LeastGuesses", "LowerBound"),
    *("Solution", "StrategyComparison", "Strategy", "Codemaker", "Code", "History", "strategies"),
    *("play_matches", "events_async"),
    *("Partition", "Replay", "Tournament", "Verification"),
    "local_server",  # a process for each call; its own tests refuse wrong arguments
}
CASES = [(name, argument) for name, (_, good) in CALLS.items() for argument in good]


def test_every_public_name_and_method_is_called():
    public = {name for name in evilpegs.__all__ if not name.endswith("Error")} - WITHOUT_CALL
    assert public <= set(CALLS)
    for name in public - {"Certificate", "Tree", "Turn"}:
        value = getattr(evilpegs, name)
        if inspect.isclass(value):
            methods = {
                f"{name}.{method}"
                for method, function in inspect.getmembers(value, callable)
                if not method.startswith("_") and len(inspect.signature(function).parameters) > 1
            }
            assert {method for method in methods if not method.endswith((".count", ".index"))} <= set(CALLS)


def outcome(function, arguments):
    try:
        value = function(**arguments)
    except (evilpegs.EvilpegsError, TypeError) as error:
        return error
    return value


@pytest.mark.parametrize(("name", "argument"), CASES, ids=[f"{name}-{argument}" for name, argument in CASES])
def test_nonsense_is_refused_in_one_clear_line(name, argument, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function, good = CALLS[name]
    for wrong in NONSENSE:
        error = outcome(function, good | {argument: wrong})
        if isinstance(error, Exception):
            assert "\n" not in str(error)
            assert 0 < len(str(error)) < 400
            # what a function that was passed raises is passed on
            assert is_refusal(error) or inspect.isfunction(wrong), (wrong, error)
        else:
            assert is_sense(name, argument, wrong), (wrong, error)


def is_refusal(error):
    if isinstance(error, ServerUnreachableError):
        return str(error).startswith("nothing listens at ws://127.0.0.1:1/")  # as good calls do
    is_named = getattr(evilpegs, type(error).__name__, None) is type(error)
    return is_named and isinstance(error, evilpegs.EvilpegsError) and isinstance(error, ValueError)


def is_sense(name, argument, value):
    """Say whether ``value`` means something for the argument."""
    if (name, argument) == ("Game", "seed") and (value is None or isinstance(value, str)):
        return value is None or value.isalnum()
    if value is None:
        return argument in OPTIONAL or (name, argument) in OPTIONAL_HERE
    if name == "verify_match":  # says of each event that it is none
        return isinstance(value, list | tuple | dict)
    if argument == "distribution":
        return isinstance(value, tuple) and value in CODES
    if argument in {"code", "guess", "secret"}:
        return value == "1122" or (name in ANY_RULES and value in CODES)
    if argument in {"turns", "history", "after", "results"}:
        return not isinstance(value, np.ndarray) and (value in ((), [], {}) or isinstance(value, type(iter(()))))
    if argument in {"strategy", "other", "tie_break"}:
        return callable(value)
    if isinstance(value, bool | int | float):
        return value in NUMBERS[argument]
    return (name, argument, value) == ("parse_code", "text", "1122")


OPTIONAL = {"secret", "first", "games", "live_sets", "budget", "exact_up_to", "against", "tie_break", "cache", "key"}
OPTIONAL_HERE = {("tournament", "seed"), ("tournament", "guess_limit")}
ANY_RULES = {"feedback", "format_code", "Fixed", "Turn"}
CODES = ["1122", "1177", "4x99", "minimaks", b"1122", (0, 0, 1, 9), (0, 0, 1)]
FROM_0, FROM_1, TRUE, GUESSES = range(10**31), range(1, 10**31), (True,), (-1, 0, 1, 1.5, 2.5, 4)
NUMBERS = {
    **dict.fromkeys(("black", "white", "count", "seed", "index", "matches", "exact_up_to", "budget"), FROM_0),
    **dict.fromkeys(
        ("pegs", "colors", "threads", "jobs", "games", "candidates", "guess_limit", "max_pairs", "limit"), FROM_1
    ),
    **dict.fromkeys(("seconds", "memory"), FROM_1),
    **dict.fromkeys(("repeats", "analysis", "thorough", "candidates_only"), TRUE),
    **dict.fromkeys(("null", "alternative"), GUESSES),
}
