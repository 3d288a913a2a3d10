from evilpegs_clients.strategies.seeding import choice_rng, game_rng
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import Turn


def draws(seed, number):
    random = game_rng(seed, number)
    return [random.randrange(10**9) for _ in range(3)]


def test_game_rngs_differ_by_game_and_seed():
    games = [(seed, number) for seed in (0, 1, 11) for number in (0, 1, 11, 111)]
    assert len({tuple(draws(*game)) for game in games}) == len(games)
    assert draws(1, 11) == draws(1, 11)


def test_choice_rng_depends_on_seed_and_history():
    history = (Turn((0, 0, 1, 1), Feedback(1, 0)),)
    drawn = choice_rng(1, history).random()
    assert choice_rng(1, history).random() == drawn
    others = [(2, history), (1, ()), (1, (Turn((0, 0, 1, 1), Feedback(0, 1)),))]
    assert drawn not in [choice_rng(seed, other).random() for seed, other in others]


def test_choice_rng_is_portable():
    assert choice_rng(0, ()).randrange(10**9) == 574_861_610
