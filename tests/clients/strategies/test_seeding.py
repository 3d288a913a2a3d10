from evilpegs_clients.strategies.seeding import dice_of


def draws(seed, number):
    random = dice_of(seed, number)
    return [random.randrange(10**9) for _ in range(3)]


def test_dice_differ_by_game_and_seed():
    games = [(seed, number) for seed in (0, 1, 11) for number in (0, 1, 11, 111)]
    assert len({tuple(draws(*game)) for game in games}) == len(games)
    assert draws(1, 11) == draws(1, 11)
