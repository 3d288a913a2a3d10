"""The randomness of bots: games are independent, offline and on a server, and a resumed bot draws the same again."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from random import Random

import pytest

import evilpegs
from evilpegs_clients.bot.bot import play_matches
from evilpegs_clients.errors import ServerUnreachableError
from evilpegs_clients.evaluation.work_units import simulate_games
from evilpegs_clients.strategies.consistent import RandomConsistent
from evilpegs_clients.strategies.strategy import draw_secret, game_seed
from evilpegs_game.rules import Rules

RULES = Rules(2, 3)
"""Rules of nine codes."""
GAMES = 200
CHI_SQUARE_8 = 26.1
"""A value that chi-square with 8 degrees of freedom exceeds once in a thousand times."""


@dataclass(frozen=True)
class SameDraws:
    """A strategy that guesses candidates at random with the same numbers in each game: the control."""

    name: str = "same-draws"
    uses_rng: bool = True

    def choose(self, position, rng):
        return position.sample(Random(position.turn))[0]


def are_uniform(guesses):
    counts = Counter(guesses)
    expected = len(guesses) / RULES.size
    chi_square = sum((counts[guess] - expected) ** 2 / expected for guess in counts)
    return len(counts) == RULES.size and chi_square < CHI_SQUARE_8


def are_varied(games):
    """Tell whether games with the same first turn go on with different guesses."""
    replies = defaultdict(set)
    for first, second, *_ in games:
        replies[first["code"], first["black"], first["white"]].add(second["code"])
    return max(map(len, replies.values())) > 1


@pytest.fixture
def server(tiny_server):
    return tiny_server(rules=str(RULES), guess_limit=20, games=10)


def turns_of_games(server):
    """Return the turns of each game of at least two, and all first turns."""
    games = defaultdict(list)
    for match in server.matches.values():
        for event in match.events:
            if event["type"] == "feedback":
                games[match.match, event["game"]].append(event)
    return [game for game in games.values() if len(game) > 1], [game[0] for game in games.values()]


@pytest.mark.parametrize(("strategy", "is_random"), [(RandomConsistent(), True), (SameDraws(), False)])
async def test_bot_games_are_independent(server, listen, tokens, retry_policy, strategy, is_random):
    async with listen(server.converse) as url:
        options = {"server": url, "ladder": "tiny", "name": "ann", "seed": 1, "matches": GAMES // 10}
        options |= {"token_file": tokens.path, "retry_policy": retry_policy}
        assert (await play_matches(strategy=strategy, **options)).verified
    longer, firsts = turns_of_games(server)
    assert len(firsts) == GAMES
    assert are_uniform([turn["code"] for turn in firsts]) is is_random
    assert are_varied(longer) is is_random


@pytest.mark.parametrize(("strategy", "is_random"), [(RandomConsistent(), True), (SameDraws(), False)])
def test_simulated_games_are_independent(strategy, is_random):
    firsts = [evilpegs.duel(strategy, "fixed", RULES, seed=game_seed(1, game))[0].guess for game in range(GAMES)]
    assert are_uniform(firsts) is is_random


def test_duel_replays_simulated_game():
    rules = Rules(3, 4)
    lengths = [simulate_games(RandomConsistent(), rules, range(game, game + 1), None, 7).max for game in range(30)]
    duels = [evilpegs.duel("random-consistent", "fixed", rules, seed=game_seed(7, game)) for game in range(30)]
    assert [len(duel) for duel in duels] == lengths
    assert len(set(lengths)) > 1


async def test_duel_replays_bot_game(server, listen, tokens, retry_policy):
    async with listen(server.converse) as url:
        options = {"server": url, "ladder": "tiny", "name": "ann", "seed": 5, "token_file": tokens.path}
        await play_matches(strategy=RandomConsistent(), retry_policy=retry_policy, **options)
    [match] = server.matches.values()
    guesses = [event["code"] for event in match.events if event["type"] == "feedback" and event["game"] == 3]
    [over] = [event for event in match.events if event["type"] == "game_over" and event["game"] == 3]
    seed = game_seed(5, match.match, 3)
    duel = evilpegs.duel("random-consistent", "fixed", RULES, secret=over["secret"], seed=seed)
    assert [evilpegs.format_code(turn.guess) for turn in duel] == guesses


async def test_resumed_bot_draws_same_guess(tiny_server, listen, tokens, retry_policy):
    server = tiny_server(rules="3x4", games=1)
    async with listen(server.converse) as url:
        options = {"server": url, "ladder": "tiny", "strategy": RandomConsistent(), "name": "ann"}
        options |= {"token_file": tokens.path, "retry_policy": retry_policy}
        server.fault = lambda request: "lose" if request["type"] in ("guess", "resume") else None
        with pytest.raises(ServerUnreachableError):
            await play_matches(**options)
        server.fault = lambda request: None
        await play_matches(**options, matches=0)
        lost, again, *_ = [request["code"] for request in server.sent("guess")]
        assert lost == again
        await play_matches(**options, matches=12)
    firsts = [request["code"] for request in server.sent("guess") if request["turn"] == 1]
    assert len(set(firsts)) > 3


async def test_bots_of_different_names_draw_apart(tiny_server, listen, tokens, retry_policy):
    guesses = []
    for name in ("ann", "bob", "eve"):
        server = tiny_server(rules="3x4", games=5)
        async with listen(server.converse) as url:
            options = {"server": url, "ladder": "tiny", "strategy": RandomConsistent(), "name": name}
            await play_matches(token_file=tokens.path, retry_policy=retry_policy, **options)
        guesses.append([request["code"] for request in server.sent("guess") if request["turn"] == 1])
    assert len(set(map(tuple, guesses))) == 3


def test_exact_evaluation_is_replayed_by_duels():
    rules = Rules(3, 3)
    result = evilpegs.evaluate("random-consistent", rules, seed=4)
    secrets = [evilpegs.parse_code(f"{a}{b}{c}", rules) for a in "123" for b in "123" for c in "123"]
    lengths = [len(evilpegs.duel("random-consistent", "fixed", rules, secret=secret, seed=4)) for secret in secrets]
    assert tuple(lengths.count(guesses) for guesses in range(1, max(lengths) + 1)) == result.distribution
    assert draw_secret(4, rules) in secrets
