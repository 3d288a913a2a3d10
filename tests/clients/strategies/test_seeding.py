import hashlib
import hmac

from evilpegs_clients.strategies.strategy import draw_secret, game_seed, token_seed, turn_rng
from evilpegs_game.rules import Rules


def test_game_seeds_differ_by_seed_and_labels():
    labels = [(), (0,), (1,), (11,), (1, 1), ("ab", 1), ("ab", 11), ("ab1", 1)]
    seeds = [game_seed(seed, *label) for seed in (0, 1, 11) for label in labels]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**64 for seed in seeds)


def test_turn_rngs_differ_by_seed_and_turn():
    drawn = [turn_rng(seed, turn).random() for seed in (0, 1, 11) for turn in (0, 1, 11, 111)]
    assert len(set(drawn)) == len(drawn)
    assert turn_rng(1, 11).random() == turn_rng(1, 11).random()


def test_seeding_is_portable():
    assert game_seed(0, "0123456789abcdef", 1) == 10_733_841_183_230_531_548
    assert turn_rng(0, 1).randrange(10**9) == 404_657_349


def test_token_seed_is_hmac():
    token = "ab" * 32
    expected = hmac.new(token.encode(), b"rng", hashlib.sha256).hexdigest()
    assert f"{token_seed(token):064x}" == expected


def test_drawn_secrets_are_uniform():
    rules = Rules(2, 3)
    drawn = [draw_secret(game_seed(1, number), rules) for number in range(900)]
    counts = [drawn.count(code) for code in sorted(set(drawn))]
    assert len(counts) == 9
    assert sum((count - 100) ** 2 / 100 for count in counts) < 26.1  # chi-square with 8 degrees of freedom, p 0.001
