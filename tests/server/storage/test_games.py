"""Sums over stored games and matches equal those of plain Python over the same rows."""

from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.games import (
    last_player,
    load_player_names,
    load_unadjusted,
    sum_games,
    sum_matches,
    sum_players,
)
from support.examples import share
from support.results import derived_of

CURVES = {"classic": "new", "evil": None}
"""The ladders that are wanted; "other" is not."""
PLAYERS = (1, 2, 5)
LARGE = 2**31
"""No luck is as large; the square of one more digit would not fit into 64 bits."""

stored_games = st.tuples(
    st.sampled_from(["solved", "solved", "unsolved", "void", None]),
    st.integers(1, 3),
    st.sampled_from(["", "7", "12,3", None]),
    st.sampled_from([None, 0, -3, 1_250_000, LARGE, -LARGE]),
    st.sampled_from([None, "old", "new"]),
)
stored_matches = st.tuples(
    st.sampled_from(PLAYERS),
    st.sampled_from(["classic", "evil", "other"]),
    st.sampled_from(["bot 1", "bot 2"]),
    st.lists(stored_games, max_size=4),
)


def fill(engine, matches):
    """Store matches, numbered from 1, and their games, numbered from 1 in each."""
    players = [(n, f"player{n}", f"player{n}", "bot", f"{n:064x}", 0) for n in PLAYERS]
    rows = [(n, f"{n:016x}", match[0], match[1], b"", n, 1, match[2]) for n, match in enumerate(matches, 1)]
    games = [(n, k, *game) for n, match in enumerate(matches, 1) for k, game in enumerate(match[3], 1)]
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO players VALUES (?, ?, ?, ?, ?, ?)", players)
        columns = "number, id, player, ladder, seed, started_at, over, client"
        if rows:
            connection.exec_driver_sql(f"INSERT INTO matches ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    columns = "match, game, outcome, guesses, times_ms, luck, curve"
    derived = derived_of(engine).engine
    with derived.begin() as connection:
        if games:
            connection.exec_driver_sql(f"INSERT INTO games ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", games)
    return derived


def plain_games(matches, chosen, broken):
    """Return by group: the number of games, their times, the number, sum and sum of squares of lucks, the others."""
    groups = defaultdict(lambda: [0, [], [], []])
    for n, (player, ladder, client, games) in enumerate(matches, 1):
        for k, (outcome, guesses, times, luck, curve) in enumerate(games, 1):
            if ladder not in CURVES or n in broken or outcome in ("void", None) or not chosen(n, k):
                continue
            group = groups[player, ladder, client, outcome, guesses]
            group[0] += 1
            group[1] += [int(each) for each in (times or "").split(",") if each]
            if CURVES[ladder] is not None:
                if luck is None or curve != CURVES[ladder]:
                    group[3].append(n << 12 | k)
                else:
                    group[2].append(luck)
    return {
        key: (count, sorted(times), len(lucks), sum(lucks), sum(luck**2 for luck in lucks), sorted(others))
        for key, (count, times, lucks, others) in groups.items()
    }


def plain_matches(matches, broken):
    groups = defaultdict(list)
    for n, (player, ladder, client, _games) in enumerate(matches, 1):
        if ladder in CURVES and n not in broken:
            groups[player, ladder, client].append(n)
    return {(*key, len(numbers), min(numbers), max(numbers)) for key, numbers in groups.items()}


def by_group(sums):
    return {
        tuple(each[:5]): (
            each.games,
            sorted(map(int, each.times_ms.split(","))) if each.times_ms else [],
            *(each.lucks, each.luck, each.luck_squares, sorted(each.unadjusted)),
        )
        for each in sums
    }


@settings(max_examples=share(40))
@given(st.data())
def test_sums_equal_those_of_rows(tmp_path_factory, data):
    matches = data.draw(st.lists(stored_matches, max_size=8))
    numbers = range(1, len(matches) + 1)
    broken = set(data.draw(st.lists(st.sampled_from(numbers), max_size=2))) if matches else set()
    keys = [n << 12 | k for n in numbers for k in range(1, len(matches[n - 1][3]) + 1)]
    chosen = set(data.draw(st.lists(st.sampled_from(keys)))) if keys else set()
    engine = open_database(f"sqlite:///{tmp_path_factory.mktemp('sums') / 'evilpegs.sqlite3'}")
    derived = fill(engine, matches)
    with derived.connect() as connection:
        assert set(sum_matches(connection, CURVES, numbers, broken)) == plain_matches(matches, broken)
        some = by_group(sum_games(connection, CURVES, chosen, broken))
        assert some == plain_games(matches, lambda n, k: n << 12 | k in chosen, broken)
        started, games = sum_players(connection, CURVES, 0, max(PLAYERS), broken)
        every = plain_games(matches, lambda _n, _k: True, broken)
        assert (set(started), by_group(games)) == (plain_matches(matches, broken), every)
        unknown = load_unadjusted(connection, CURVES, 0, len(matches))
        assert unknown == sorted(
            key for *_, others in plain_games(matches, lambda *_: True, ()).values() for key in others
        )
    engine.dispose()


def test_sum_of_many_large_squares_is_exact(engine):
    """The control is SQLite's own sum, which these squares overflow."""
    games = [("solved", 3, "", LARGE - k, "new") for k in range(10)]
    derived = fill(engine, [(1, "classic", "bot 1", games)])
    with derived.connect() as connection:
        _, (sums,) = sum_players(connection, CURVES, 0, 1)
    assert sums.luck_squares == sum((LARGE - k) ** 2 for k in range(10)) > 2**63


def test_ranges_of_players_hold_all_matches_once(engine):
    derived = fill(engine, [(player, "evil", "bot 1", []) for player in (5, 1, 2, 1, 5, 1)])
    with derived.connect() as connection:
        assert [last_player(connection, after, 2) for after in (0, 1, 2, 5)] == [1, 5, 5, 5]
        assert last_player(connection, 0, 10) == 5
        assert load_player_names(connection, [2, 7]) == {2: "player2"}


def test_without_matches_there_is_no_player(engine):
    with engine.connect() as connection:
        assert last_player(connection, 0, 10) is None
