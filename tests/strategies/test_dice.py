from evilpegs_clients.strategies.dice import dice_of


def draws(seed, number):
    dice = dice_of(seed, number)
    return [dice.randrange(10**9) for _ in range(3)]


def test_a_game_has_its_own_dice_under_each_seed():
    games = [(seed, number) for seed in (0, 1, 11) for number in (0, 1, 11, 111)]
    assert len({tuple(draws(*game)) for game in games}) == len(games)
    assert draws(1, 11) == draws(1, 11)
