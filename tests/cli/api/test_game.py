"""`evilpegs.Game`: the same games as elsewhere, what a guess does, and what it refuses."""

import json
from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

import evilpegs
from evilpegs import EvilpegsError, Feedback, Fixed, Game
from evilpegs_clients.daily import daily_codemaker, daily_terms
from evilpegs_game.codes import all_codes, format_code

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "evil_games.json").read_text())
DAYS = [date(2026, 12, day) for day in range(7, 14)]


def play(game, strategy="minimax"):
    """Let a strategy play a game to its end."""
    chosen = evilpegs.load_strategy(strategy)
    while not game.over:
        game.guess(chosen.choose(game.position, None))
    return game


@pytest.mark.parametrize("played", VECTORS["seeded"], ids=lambda played: f"{played['rules']} {played['seed'][:9]}")
def test_seed_gives_evil_game_of_page(played):
    game = Game(played["rules"], seed=played["seed"], limit=played["limit"])
    replies = [game.guess(turn["code"]) for turn in played["turns"]]
    assert replies == [(turn["black"], turn["white"]) for turn in played["turns"]]
    assert game.over
    assert game.solved is (played["over"] == "solved")


@pytest.mark.parametrize(("seed", "rules", "secret"), VECTORS["secrets"])
def test_seed_gives_secret_of_page(seed, rules, secret):
    game = Game(rules, "fixed", seed=seed)
    game.guess(secret)
    assert (game.solved, game.score) == (True, 1)


@pytest.mark.parametrize("day", DAYS, ids=str)
def test_seed_gives_game_of_the_day(day):
    terms = daily_terms(day)
    game, codemaker = Game(terms.rules, terms.codemaker, seed=terms.seed, limit=terms.limit), daily_codemaker(terms)
    while not game.over:
        before = game.position
        guess = before.first_candidate
        assert game.guess(guess) == codemaker.reply(before, guess)


def test_number_is_seed_like_its_text():
    codes = ["1122", "3344", "5566", "1234", "6543"]
    games = [[Game("4x6", seed=seed).guess(code) for code in codes] for seed in (1, "1", 2, 3)]
    assert games[0] == games[1]
    assert games[0] != games[2] or games[0] != games[3]


def test_evil_without_seed_plays_as_duel():
    played = play(Game("4x6"))
    assert [turn[:2] for turn in evilpegs.duel("minimax", rules="4x6")] == list(played.position.history)
    assert played.luck is None


@pytest.mark.parametrize(
    "code", ["1127", "112", "11223", "x", "", (0, 0, 1), (0, 0, 1, 6), (0, 0, 1, -1), 7, None, [[]]]
)
def test_illegal_code_raises_and_changes_nothing(code):
    game = Game("4x6")
    game.guess("1122")
    before = game.position
    with pytest.raises(EvilpegsError) as caught:
        game.guess(code)
    assert "\n" not in str(caught.value)
    assert game.position is before


@pytest.mark.parametrize("codemaker", ["evil", "devil"])
def test_position_equals_position_of_its_turns(codemaker):
    game = Game("4x6", codemaker)
    assert game.position == evilpegs.Position("4x6")
    reply = game.guess("1122")
    assert game.position == evilpegs.Position("4x6", [("1122", reply)]) == evilpegs.Position("4x6").after("1122", reply)


def test_limit_ends_game():
    game = Game("4x6", limit=2)
    game.guess("1122")
    assert (game.over, game.score) == (False, None)
    game.guess((0, 0, 1, 1))
    assert (game.over, game.solved, game.score) == (True, False, 3)
    with pytest.raises(EvilpegsError, match="over"):
        game.guess("1122")
    assert len(game.position.history) == 2


def test_luck_is_that_of_analysis():
    game = play(Game("4x6", "fixed", secret="6645"))
    luck = sum(turn.luck for turn in evilpegs.analyze("4x6", game.position.history))
    assert game.luck == pytest.approx(luck)
    assert Game("4x6", Fixed((0, 1, 2, 3))).luck == 0
    assert Game("3x4", "fixed", seed=1).luck is None


def test_regret_sums_to_guesses_lost_against_optimal_play():
    secrets = map(tuple, all_codes(evilpegs.Rules(3, 4)).T.tolist())
    games = [play(Game("3x4", "fixed", secret=secret), "first-consistent") for secret in secrets]
    lost = sum(game.score for game in games) - evilpegs.solve("3x4").total
    assert lost > 0
    assert sum((game.regret.at_least for game in games), Fraction()) == lost
    assert {game.regret.kind for game in games} == {"exact"}


def test_regret_grows_with_each_guess():
    game = Game("3x4", "fixed", secret="444")
    assert game.regret == (0, 0)
    game.guess("111")
    first = game.regret
    game.guess("111")
    assert game.regret.at_most == first.at_most + 1


def test_devil_and_own_codemaker_reply():
    assert play(Game("3x5", "devil")).score >= 5

    class Grudging:
        def reply(self, position, guess):
            return min(position.parts(guess))

    assert Game("3x3", Grudging()).guess("112") == Feedback(0, 0)
    with pytest.raises(EvilpegsError):
        Game("3x3", type("Broken", (), {"reply": lambda *_: (9, 9)})()).guess("111")


def test_representation_keeps_secret():
    game = Game("4x6", "fixed", secret="6645")
    game.guess("1122")
    assert repr(game) == "<Game with fixed on 4x6: open after 1 guess>"
    assert format_code((5, 5, 3, 4)) not in repr(vars(game))


def test_games_may_share_live_sets():
    first = play(Game("4x6", seed=5))
    again = play(Game("4x6", seed=5, live_sets=first.live_sets))
    assert again.position.history == first.position.history


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"rules": "4z6"}, "'4z6'"),
        ({"rules": 46}, "46"),
        ({"codemaker": "good"}, "'good'"),
        ({"codemaker": Fixed}, "Fixed"),
        ({"codemaker": None}, "None"),
        ({"codemaker": "fixed"}, "seed"),
        ({"secret": "1122"}, "fixed"),
        ({"codemaker": "fixed", "secret": "1127"}, "'1127'"),
        ({"seed": -1}, "-1"),
        ({"seed": 1.5}, "1.5"),
        ({"seed": "a b"}, "'a b'"),
        ({"seed": ""}, "''"),
        ({"limit": 0}, "0"),
        ({"limit": "ten"}, "ten"),
    ],
)
def test_wrong_argument_of_game_is_refused(arguments, named):
    with pytest.raises(EvilpegsError, match=named) as caught:
        Game(**arguments)
    assert "\n" not in str(caught.value)
