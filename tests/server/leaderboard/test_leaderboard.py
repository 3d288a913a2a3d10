"""The leaderboard, fed with finished games and, in its plain version, with recorded events."""

from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from random import Random

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_protocol.codec import decode_record_event
from evilpegs_protocol.fields import Program
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, MatchStarted
from evilpegs_server.leaderboard.intervals import adjusted_interval, version_level
from evilpegs_server.leaderboard.leaderboard import Leaderboard
from evilpegs_server.leaderboard.row import leaderboard_text
from evilpegs_server.leaderboard.standing import PLACED_FROM, RANKED_FROM, RANKED_FROM_FIXED, games_for_rank
from evilpegs_server.leaderboard.tally import VersionTally
from evilpegs_server.match.ladders import load_ladders
from support.leaderboard_fold import LeaderboardFold, leaderboard
from support.plain_intervals import betting_interval

GOLDEN = Path(__file__).parents[2] / "golden"
EVENTS = [decode_record_event(line) for line in (GOLDEN / "leaderboard.jsonl").read_text().splitlines()]
MILLION = 10**6
FINISHED_GAMES = (GOLDEN / "finished_games.txt").read_text()


class Records:
    """The events of invented matches."""

    def __init__(self):
        self.events = []

    def match(self, player, scores, version="1", codemaker="fixed", took_ms=10):
        """Add a match with these scores; a score of 11 means that a game was not solved."""
        match, at = f"{len(self.events):016x}", len(self.events)
        started = MatchStarted(
            match=match,
            seq=1,
            at=at,
            player=player,
            client=Program(name="bot", version=version),
            ladder="classic",
            rules="4x6",
            pegs=4,
            colors=6,
            symbols="123456",
            repeats=True,
            guess_limit=10,
            codemaker=codemaker,
            tie=None,
            clock=None,
            games=len(scores),
            rated=True,
        )
        self.events.append(started)
        for game, score in enumerate(scores, 1):
            common = {"match": match, "seq": 2, "at": at, "game": game}
            self.events += [
                FeedbackGiven(**common, turn=1, code="1122", black=1, white=0, took_ms=took_ms, left_ms=None),
                GameOver(
                    **common,
                    outcome="solved" if score < 11 else "unsolved",
                    guesses=min(score, 10),
                    elapsed_ms=took_ms,
                    secret=None,
                    nonce=None,
                ),
            ]
        return self

    def rows(self):
        return {row.player: row for row in leaderboard(self.events, "classic")}


def around(mean, games):
    """Return scores with this mean and little spread."""
    return [mean - 1, mean + 1] * (games // 2)


class FinishedGames:
    """A ladder of tests/golden/finished_games.txt: its leaderboard, and the rows that are expected of it."""

    def __init__(self, text, shuffle=lambda lines: None):
        lines = [line.split() for line in text.splitlines()]
        limit, codemaker, means = lines[0]
        ranked_from = {"fixed": 100, "adversary": 20}[codemaker]
        self.board = Leaderboard(guess_limit=int(limit), ranked_from=ranked_from, adjusted=means == "adjusted")
        self.numbers = {}
        self.expected = [fields for kind, *fields in lines[1:] if kind == "row"]
        added = [line for line in lines[1:] if line[0] != "row"]
        shuffle(added)
        for kind, *fields in added:
            getattr(self, f"add_{kind}")(*fields)

    def number(self, name):
        number = self.numbers.setdefault(name, 100 - len(self.numbers))
        self.board.set_player(number, name)
        return number

    def add_start(self, order, player, client):
        self.board.version(self.number(player), client).add_matches(1, int(order), int(order))

    def add_games(self, player, client, outcome, guesses, count):
        self.board.add_games(self.number(player), client, outcome, int(guesses), int(count))

    def add_time(self, player, client, milliseconds, count):
        self.board.version(self.number(player), client).times_ms.update([int(milliseconds)] * int(count))

    def add_luck(self, player, client, *sums):
        self.board.version(self.number(player), client).add_luck(*map(int, sums))


LADDERS = [part.partition("\n\n")[0] for part in FINISHED_GAMES.split("\nladder ")[1:]]
COLUMNS = next(line for line in FINISHED_GAMES.splitlines() if line.startswith("# row: ")).split()[2:]


def agrees(value, text):
    """Return True if a field of a row agrees with its text in the file, which gives six decimals."""
    if isinstance(value, float):
        return value == pytest.approx(float(text), abs=1e-6)
    return text == ("-" if value is None else str(value))


class TestFinishedGames:
    """The expected rows were computed with `support.plain_intervals`, apart from this package."""

    @pytest.mark.parametrize("text", LADDERS, ids=[text.split("\n")[0] for text in LADDERS])
    def test_file_of_finished_games_gives_expected_rows(self, text):
        games = FinishedGames(text)
        rows = games.board.rows()
        assert len(rows) == len(games.expected) > 3
        for row, texts in zip(rows, games.expected, strict=True):
            fields = {column: (getattr(row, column), text) for column, text in zip(COLUMNS, texts, strict=True)}
            assert {column: pair for column, pair in fields.items() if not agrees(*pair)} == {}

    @pytest.mark.parametrize("text", LADDERS, ids=[text.split("\n")[0] for text in LADDERS])
    def test_order_of_results_does_not_matter(self, text):
        rows = FinishedGames(text).board.rows()
        for seed in range(5):
            assert FinishedGames(text, Random(seed).shuffle).board.rows() == rows


def one_player(ranked_from=RANKED_FROM_FIXED, adjusted=False, name="ann"):
    board = Leaderboard(guess_limit=10, ranked_from=ranked_from, adjusted=adjusted)
    board.set_player(1, name)
    board.version(1, "bot 1").add_matches(1, 1, 1)
    return board


class TestLeaderboard:
    def test_rank_takes_fewer_games_where_a_game_takes_longer(self):
        """Against evil few games tell much; people would play a hundred games for days."""
        assert [games_for_rank(each) for each in ("fixed", "evil", "devil")] == [100, 20, 20]
        assert (games_for_rank("fixed", "human"), games_for_rank("fixed", "bot")) == (20, 100)

    @pytest.mark.parametrize("games", [RANKED_FROM_FIXED, RANKED_FROM])
    def test_rank_needs_enough_games(self, games):
        board = one_player(games)
        board.add_games(1, "bot 1", "solved", 5, games - 1)
        assert [row.rank for row in board.rows()] == [None]
        board.add_games(1, "bot 1", "unsolved", 10)
        assert [(row.rank, row.rank_worst) for row in board.rows()] == [(1, 1)]

    def test_new_version_without_enough_games_loses_rank(self):
        board = one_player()
        board.add_games(1, "bot 1", "solved", 5, 100)
        assert board.rows()[0].rank == 1
        board.version(1, "bot 2").add_matches(1, 2, 2)
        assert board.rows()[0].client == "bot 1"
        board.add_games(1, "bot 2", "solved", 5)
        row = board.rows()[0]
        assert (row.client, row.rank, row.rank_worst, row.version, row.all_games) == ("bot 2", None, None, 2, 101)

    def test_interval_has_level_of_version(self):
        board = one_player()
        for number in (1, 2, 3):
            board.version(1, f"bot {number}").add_matches(1, number, number)
            board.add_games(1, f"bot {number}", "solved", 5, 50)
        rows = board.version_rows(1)
        assert [(row.client, row.version, row.rank) for row in rows] == [
            ("bot 1", 1, None),
            ("bot 2", 2, None),
            ("bot 3", 3, None),
        ]
        for row in rows:
            assert (row.low, row.high) == betting_interval({5: 50}, 1, 11, version_level(row.version))
            assert (row.solved_low, row.solved_high) == betting_interval({1: 50}, 0, 1, version_level(row.version))
        assert board.rows() == rows[2:]

    def test_more_names_widen_compared_intervals(self):
        """Two rows that differ on a ladder of two names no longer differ on one of 10,000."""
        board = one_player(RANKED_FROM)
        board.set_player(2, "bob")
        board.version(2, "bot 1").add_matches(1, 2, 2)
        for player, guesses in ((1, 5), (2, 6)):
            board.add_games(player, "bot 1", "solved", guesses, 80)
        before = board.rows()
        assert [(row.player, row.rank) for row in before] == [("ann", 1), ("bob", 2)]
        for player in range(3, 10_001):
            board.version(player, "bot 1").add_matches(1, player, player)
        after = board.rows()
        assert [(row.player, row.rank, row.rank_worst) for row in after] == [("ann", 1, 2), ("bob", 1, 2)]
        assert [(row.low, row.high) for row in after] == [(row.low, row.high) for row in before]

    def test_luck_without_curve_is_ignored(self):
        board = one_player()
        board.add_games(1, "bot 1", "solved", 5, 100)
        board.version(1, "bot 1").add_luck(100, 400_000_000, 1_700_000_000_000_000)
        row = board.rows()[0]
        assert (row.adjusted_mean, row.adjusted_low, row.adjusted_deviation, row.adjusted_games) == (None,) * 4
        assert row.rank == 1

    def test_one_adjusted_game_has_no_deviation(self):
        board = one_player(adjusted=True)
        board.add_games(1, "bot 1", "solved", 5)
        board.version(1, "bot 1").add_luck(1, 4_500_000, 4_500_000**2)
        row = board.rows()[0]
        assert (row.adjusted_mean, row.adjusted_deviation, row.adjusted_games, row.rank) == (4.5, None, 1, None)

    def test_time_never_decides(self):
        board = one_player(name="slow")
        board.set_player(2, "zippy")
        board.version(2, "bot 1").add_matches(1, 2, 2)
        for player, took_ms in ((1, 9_000), (2, 1)):
            board.add_games(player, "bot 1", "solved", 5, 100)
            board.version(player, "bot 1").times_ms.update([took_ms] * 500)
        rows = [(row.player, row.rank, row.rank_worst, row.p95_ms) for row in board.rows()]
        assert rows == [("slow", 1, 2, 9_000), ("zippy", 1, 2, 1)]

    def test_renamed_player_has_new_name(self):
        board = one_player()
        board.add_games(1, "bot 1", "solved", 5)
        assert board.rows()[0].player == "ann"
        board.set_player(1, "anna")
        assert [row.player for row in board.rows()] == ["anna"]

    def test_unknown_player_has_no_versions(self):
        assert one_player().version_rows(2) == []
        assert one_player().version_rows(1) == []


class TestFile:
    """Events of tests/golden/leaderboard.jsonl: two players on classic, three on classic-evil, and uncounted games."""

    def test_leaderboard_row_summarizes_counted_games(self):
        ann = {row.player: row for row in leaderboard(EVENTS, "classic")}["ann"]
        assert (ann.client, ann.games) == ("bot 2", 4)
        assert ann.mean == (4 + 11 + 11 + 11) / 4
        assert (ann.worst, ann.solved) == (11, 1 / 4)
        assert ann.histogram == ((4, 1), (11, 3))
        assert (ann.p95_ms, ann.mean_ms) == (1000, 400)
        assert (ann.rank, ann.rank_worst) == (None, None)
        assert (ann.version, ann.versions, ann.all_games, ann.all_matches) == (2, 2, 6, 2)

    def test_version_without_counted_games_is_ignored(self):
        bob = {row.player: row for row in leaderboard(EVENTS, "classic")}["bob"]
        assert (bob.client, bob.games, bob.mean) == ("bot 1", 2, 8)
        assert (bob.version, bob.versions, bob.all_matches) == (1, 2, 2)

    def test_best_player_comes_first(self):
        games = {"ann": [6] * 12, "bob": [5] * 12}
        records = Records()
        for player, scores in games.items():
            records.match(player, scores)
        assert list(records.rows()) == ["bob", "ann"]

    def test_rows_of_few_games_are_ordered_by_games_and_name(self):
        rows = leaderboard(EVENTS, "classic-evil")
        assert [(row.player, row.score, row.games, row.rank, row.placed) for row in rows] == [
            ("xia", 8.5, 2, None, False),
            ("yan", 7, 2, None, False),
            ("zoe", 7, 2, None, False),
        ]

    @pytest.mark.parametrize("ladder", ["classic-practice", "grand", ""])
    def test_practice_and_empty_ladders_have_no_rows(self, ladder):
        assert leaderboard(EVENTS, ladder) == []

    def test_leaderboard_accepts_any_iterable(self):
        assert leaderboard(iter(EVENTS), "classic") == leaderboard(EVENTS, "classic")


class TestVersions:
    @pytest.mark.parametrize("maker", ["fixed", "evil", "devil"])
    def test_only_latest_version_counts(self, maker):
        records = Records().match("ann", [3, 3], codemaker=maker).match("ann", [5, 7], version="2", codemaker=maker)
        row = records.rows()["ann"]
        assert (row.client, row.games, row.mean, row.all_games) == ("bot 2", 2, 6, 4)

    def test_returning_to_version_adds_its_games(self):
        records = Records().match("ann", [3]).match("ann", [9], version="2").match("ann", [5])
        row = records.rows()["ann"]
        assert (row.client, row.games, row.mean, row.version) == ("bot 1", 2, 4, 1)


class TestRanks:
    def test_player_with_few_games_is_provisional(self):
        rows = Records().match("few", [2] * (RANKED_FROM_FIXED - 1)).match("enough", around(5, 100)).rows()
        assert list(rows) == ["enough", "few"]
        assert (rows["few"].rank, rows["few"].rank_worst) == (None, None)
        assert (rows["enough"].rank, rows["enough"].rank_worst) == (1, 1)

    def test_rank_counts_surely_better_players(self):
        rows = Records()
        for player, middle in [("good", 4), ("fair", 6), ("poor", 8)]:
            rows.match(player, around(middle, 400))
        assert [(row.player, row.rank, row.rank_worst) for row in rows.rows().values()] == [
            ("good", 1, 1),
            ("fair", 2, 2),
            ("poor", 3, 3),
        ]

    def test_indistinguishable_players_share_rank(self):
        rows = Records().match("ann", [4, 6] * 50).match("bob", [4, 6] * 49 + [5, 7]).match("zoe", [8, 10] * 50)
        assert [(row.player, row.rank, row.rank_worst) for row in rows.rows().values()] == [
            ("ann", 1, 2),
            ("bob", 1, 2),
            ("zoe", 3, 3),
        ]

    @settings(deadline=None)
    @given(st.lists(st.tuples(st.integers(15, 200), st.integers(2, 10), st.integers(1, 3)), max_size=8), st.booleans())
    def test_rank_counts_rows_that_are_wholly_better(self, drawn, adjusted):
        """The ranks equal those of comparing every row with every other at the level of all names."""
        board = Leaderboard(guess_limit=10, ranked_from=100 if adjusted else 20, adjusted=adjusted)
        for number, (games, middle, version) in enumerate(drawn):
            add_player(board, number, games, middle, version)
        rows = board.rows()
        ends = {row.player: compared(row, len(drawn)) for row in rows if row.games >= (100 if adjusted else 20)}
        assert {row.player for row in rows if row.rank is not None} == ends.keys()
        assert len(rows) == len(drawn)
        for row in rows:
            if row.rank is not None:
                low, high = ends[row.player]
                assert row.rank == 1 + sum(other_high < low for _, other_high in ends.values())
                assert row.rank_worst == len(ends) - sum(other_low > high for other_low, _ in ends.values())

    @settings(deadline=None)
    @given(
        st.lists(st.tuples(st.integers(1, 200), st.integers(2, 10), st.integers(1, 3)), max_size=9, unique=True),
        st.booleans(),
    )
    def test_order_is_that_of_comparing_rows_one_by_one(self, drawn, adjusted):
        """No row stands above one that is wholly better, and a row is undecided if its interval meets another's.

        Readers check the order by the score: it rises within a rank, and among the rows that have only a place.
        """
        board = Leaderboard(guess_limit=10, ranked_from=100 if adjusted else 20, adjusted=adjusted)
        for number, (games, middle, version) in enumerate(drawn):
            add_player(board, number, games, middle, version)
        rows = board.rows()
        enough = 100 if adjusted else 20
        ends = {row.player: compared(row, len(drawn)) for row in rows if row.games >= enough}
        assert [row.player for row in rows] == plain_order(rows, ends)
        for row in rows:
            meets = [meet(ends[row.player], other) for other in ends.values()] if row.player in ends else []
            assert row.undecided == (sum(meets) > 1 if meets else None)
        for above, below in combinations(rows, 2):
            if below.player in ends:
                assert not ends[below.player][1] < ends[above.player][0]
            if (above.rank, above.placed) == (below.rank, below.placed) == (below.rank, True):
                assert above.score <= below.score
            assert above.placed or not below.placed


def meet(one, other):
    return one[0] <= other[1] and other[0] <= one[1]


def plain_order(rows, ends):
    """Return the players, best first, each found by comparing it with all others; ``ends`` has those with a rank."""

    def rank(row):
        return sum(high < ends[row.player][0] for _, high in ends.values())

    def stands_above(row, other):
        if (row.player in ends) != (other.player in ends):
            return row.player in ends
        if row.player in ends and rank(row) != rank(other):
            return rank(row) < rank(other)
        if (row.games < 10) != (other.games < 10):
            return row.games >= 10
        if row.games < 10 and row.games != other.games:
            return row.games > other.games
        shown = [each.mean if each.adjusted_mean is None else each.adjusted_mean for each in (row, other)]
        if row.games < 10 or shown[0] == shown[1]:
            return row.player < other.player
        return shown[0] < shown[1]

    above = {row.player: sum(stands_above(other, row) for other in rows) for row in rows}
    return sorted(above, key=above.__getitem__)


class TestOneBotUnderManyNames:
    """Rows that a bot of random guesses fills under 25 names, with 20 to 500 games each."""

    SCORES, CHANCES = (2, 3, 4, 5, 6, 7, 8), (1, 4, 20, 40, 25, 8, 2)

    @pytest.fixture
    def board(self):
        board, rng = Leaderboard(guess_limit=10, ranked_from=RANKED_FROM, adjusted=False), Random(4)
        for number in range(25):
            self.add(board, f"random-{number}", rng.choices(self.SCORES, self.CHANCES, k=20 * (1 + number)))
        return board

    def add(self, board, name, scores):
        number = len(board.rows())
        board.set_player(number, name)
        board.version(number, "bot 1").add_matches(1, number, number)
        for score, games in Counter(scores).items():
            board.add_games(number, "bot 1", "solved", score, games)

    def test_nobody_is_told_apart_and_scores_rise(self, board):
        rows = board.rows()
        assert {(row.rank, row.rank_worst, row.undecided) for row in rows} == {(1, 25, True)}
        assert [row.score for row in rows] == sorted(row.score for row in rows)

    def test_lucky_games_are_below_all_others_until_there_are_enough(self, board):
        self.add(board, "newcomer", [6] * 19)
        self.add(board, "lucky", [1] * (PLACED_FROM - 1))
        self.add(board, "luckier", [1])
        rows = board.rows()
        assert [(row.player, row.placed, row.rank, row.undecided) for row in rows[25:]] == [
            ("newcomer", True, None, None),
            ("lucky", False, None, None),
            ("luckier", False, None, None),
        ]
        assert rows[27].score == min(row.score for row in rows)
        board.add_games(26, "bot 1", "solved", 1)
        assert [row.player for row in board.rows()[25:]] == ["lucky", "newcomer", "luckier"]

    def test_better_bot_is_first_and_decided(self, board):
        self.add(board, "better", [3] * 1_000)
        first, *others = board.rows()
        assert (first.player, first.rank, first.rank_worst, first.undecided) == ("better", 1, 1, False)
        assert len(others) == 25
        assert {row.rank for row in others} == {2}
        assert all(row.undecided for row in others)


def add_player(board, number, games, middle, version):
    """Add a player whose latest version, after empty ones, has scores and luck around ``middle`` guesses."""
    board.set_player(number, f"p{number}")
    for each in range(1, version + 1):
        board.version(number, f"bot {each}").add_matches(1, each, each)
    client = f"bot {version}"
    board.add_games(number, client, "solved", middle - 1, games // 2)
    board.add_games(number, client, "solved", middle, games - games // 2)
    board.version(number, client).add_luck(games, games * middle * MILLION, games * luck_square(middle))


def compared(row, names):
    """Return the interval of a row that decides ranks on a ladder of ``names`` names."""
    level = version_level(row.version) / names
    if row.adjusted_low is None:
        return betting_interval(dict(row.histogram), 1, 11, level)
    games, middle = row.adjusted_games, round(row.adjusted_mean)
    tally = VersionTally(row.client)
    tally.add_luck(games, games * middle * MILLION, games * luck_square(middle))
    return adjusted_interval(tally, 10, level)


def luck_square(middle):
    """Return the mean square of luck with the mean ``middle`` guesses and a deviation of 0.3 guesses, in millionths."""
    return middle**2 * MILLION**2 + 9 * MILLION**2 // 100


class TestSplits:
    @settings(deadline=None)
    @given(st.data())
    def test_fold_gives_same_rows_for_any_interleaving(self, data):
        """Matches start in one order, and their later events arrive in any, with rows looked at meanwhile."""
        records = Records()
        for _ in range(data.draw(st.integers(1, 6))):
            scores = data.draw(st.lists(st.integers(1, 11), max_size=4))
            version, took_ms = data.draw(st.sampled_from("12")), data.draw(st.integers(0, 3))
            records.match(data.draw(st.sampled_from(["ann", "bob"])), scores, version, took_ms=took_ms)
        by_match = defaultdict(list)
        for event in records.events:
            by_match[event.match].append(event)
        fold, started = LeaderboardFold("classic"), 0
        matches = list(by_match)
        while started < len(matches) or any(by_match.values()):
            playing = [match for match in matches[:started] if by_match[match]]
            match = data.draw(st.sampled_from(playing + matches[started : started + 1]))
            started += match not in matches[:started]
            fold.add(by_match[match].pop(0))
            if data.draw(st.booleans()):
                fold.rows()
        assert fold.rows() == leaderboard(records.events, "classic")


def test_text_of_leaderboard_holds_ladder_and_rows():
    ladder = load_ladders()["classic"].info()
    document = orjson.loads(leaderboard_text(ladder, leaderboard(EVENTS, "classic")))
    assert (document["ladder"], document["rules"], document["codemaker"]) == ("classic", "4x6", "fixed")
    assert (document["guess_limit"], document["ranked_from"], document["placed_from"]) == (10, 100, 10)
    assert [row["player"] for row in document["rows"]] == ["ann", "bob"]
    assert document["rows"][0]["histogram"] == [[4, 1], [11, 3]]
    assert document["rows"][0]["all_games"] == 6
