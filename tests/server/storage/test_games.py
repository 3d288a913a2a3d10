"""Sums over stored games and matches equal those of plain Python over the same rows."""

from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.derived.games import (
    load_named_players,
    load_newest_game,
    load_newest_match,
    sum_games,
    sum_listed_games,
    sum_matches,
)
from support.examples import share
from support.results import derived_of

CURVES = {"classic": "new", "evil": None}
"""The ladders that are wanted; "other" is not."""
PLAYERS = (1, 2, 5)
LARGE = 2**24
"""No luck is as large."""

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
    rows = iter(range(1, 1_000))
    groups = defaultdict(lambda: [0, [], [], []])
    for n, (player, ladder, client, games) in enumerate(matches, 1):
        for outcome, guesses, times, luck, curve in games:
            row = next(rows)
            if ladder not in CURVES or n in broken or outcome in ("void", None) or row not in chosen:
                continue
            group = groups[player, ladder, client, outcome, guesses]
            group[0] += 1
            group[1] += [int(each) for each in (times or "").split(",") if each]
            if CURVES[ladder] is not None:
                if luck is None or curve != CURVES[ladder]:
                    group[3].append(row)
                else:
                    group[2].append(luck)
    return {
        key: (count, sorted(times), len(lucks), sum(lucks), sum(luck**2 for luck in lucks), sorted(others))
        for key, (count, times, lucks, others) in groups.items()
    }


def plain_matches(matches, chosen, broken):
    groups = defaultdict(list)
    for n, (player, ladder, client, _games) in enumerate(matches, 1):
        if ladder in CURVES and n not in broken and n in chosen:
            groups[player, ladder, client].append(n)
    return {(*key, len(numbers), min(numbers), max(numbers)) for key, numbers in groups.items()}


def by_group(sums):
    return {
        tuple(each[:5]): (
            each.games,
            sorted(map(int, each.times_ms.split(","))) if each.times_ms else [],
            *(each.lucks, each.luck, each.luck_squares, sorted(each.unadjusted_games)),
        )
        for each in sums
    }


@settings(max_examples=share(40))
@given(st.data())
def test_sums_equal_those_of_rows(tmp_path_factory, make_database, data):
    matches = data.draw(st.lists(stored_matches, max_size=8))
    numbers = range(1, len(matches) + 1)
    broken = set(data.draw(st.lists(st.sampled_from(numbers), max_size=2))) if matches else set()
    rows = range(1, sum(len(match[3]) for match in matches) + 1)
    chosen = data.draw(st.lists(st.sampled_from(rows))) if rows else []
    after, last = sorted(data.draw(st.tuples(st.integers(0, 9), st.integers(0, 9))))
    between = range(after + 1, last + 1)
    make_database(url := f"sqlite:///{tmp_path_factory.mktemp('sums') / 'evilpegs.sqlite3'}")
    engine = open_database(url)
    with fill(engine, matches).connect() as connection:
        assert set(sum_matches(connection, CURVES, after, last, broken)) == plain_matches(matches, between, broken)
        some = by_group(sum_games(connection, CURVES, after, last, broken))
        assert some == plain_games(matches, between, broken)
        listed = by_group(sum_listed_games(connection, CURVES, chosen, broken))
        assert listed == plain_games(matches, chosen, broken)
        assert load_newest_game(connection) == len(rows)
        assert load_newest_match(connection) == len(matches)
    engine.dispose()


def test_names_and_kinds_are_those_of_known_players(engine):
    with fill(engine, []).connect() as connection:
        assert load_named_players(connection, [2, 7]) == {2: ("player2", "bot")}
