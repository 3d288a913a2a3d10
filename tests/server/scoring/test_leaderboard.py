"""The leaderboard as a pure fold over recorded events, and its interval, which holds at any time."""

import math
import statistics
from collections import Counter, defaultdict
from decimal import Decimal
from itertools import accumulate
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_protocol.codec import decode_record_event
from evilpegs_protocol.fields import Program
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, MatchStarted
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.scoring.leaderboard import (
    ALPHA,
    PROVISIONAL,
    TUNED_FOR,
    LeaderboardFold,
    interval_half_width,
    leaderboard,
    leaderboard_document,
)
from evilpegs_server.scoring.tally import mean, percentile, variance

EVENTS = [
    decode_record_event(line)
    for line in (Path(__file__).parents[2] / "golden" / "leaderboard.jsonl").read_text().splitlines()
]


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

    def test_version_without_counted_games_is_ignored(self):
        bob = {row.player: row for row in leaderboard(EVENTS, "classic")}["bob"]
        assert (bob.client, bob.games, bob.mean) == ("bot 1", 2, 8)

    def test_best_player_comes_first(self):
        assert [row.player for row in leaderboard(EVENTS, "classic")] == ["bob", "ann"]

    def test_evil_ladder_orders_by_guesses_then_time(self):
        rows = leaderboard(EVENTS, "classic-evil")
        assert [(row.player, row.mean, row.mean_ms) for row in rows] == [
            ("yan", 7, 40),
            ("zoe", 7, 50),
            ("xia", 8.5, 10),
        ]
        assert [(row.rank, row.rank_worst) for row in rows] == [(1, 1), (2, 2), (3, 3)]

    @pytest.mark.parametrize("ladder", ["classic-practice", "grand", ""])
    def test_practice_and_empty_ladders_have_no_rows(self, ladder):
        assert leaderboard(EVENTS, ladder) == []

    def test_leaderboard_accepts_any_iterable(self):
        assert leaderboard(iter(EVENTS), "classic") == leaderboard(EVENTS, "classic")


class TestVersions:
    def test_only_latest_version_counts(self):
        records = Records().match("ann", [3, 3]).match("ann", [5, 7], version="2")
        row = records.rows()["ann"]
        assert (row.client, row.games, row.mean) == ("bot 2", 2, 6)

    def test_returning_to_version_adds_its_games(self):
        records = Records().match("ann", [3]).match("ann", [9], version="2").match("ann", [5])
        row = records.rows()["ann"]
        assert (row.client, row.games, row.mean) == ("bot 1", 2, 4)

    @pytest.mark.parametrize("maker", ["evil", "devil"])
    def test_adversary_ladder_counts_every_version(self, maker):
        rows = Records().match("ann", [6], codemaker=maker).match("ann", [8], version="2", codemaker=maker).rows()
        assert (rows["ann"].games, rows["ann"].mean, rows["ann"].client) == (2, 7.0, "bot 2")


class TestRanks:
    def test_player_with_few_games_is_provisional(self):
        rows = Records().match("few", [2] * (PROVISIONAL - 1)).match("enough", around(5, PROVISIONAL)).rows()
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

    def test_interval_is_centered_on_mean(self):
        row = Records().match("ann", [4, 6] * 50).rows()["ann"]
        assert (row.low + row.high) / 2 == pytest.approx(row.mean)
        assert row.high - row.mean == pytest.approx(interval_half_width([4, 6] * 50))


def half_width(scores):
    """Return sigma sqrt(2 (t rho^2 + 1) / (t^2 rho^2) ln(sqrt(t rho^2 + 1) / alpha)), the formula of the paper.

    The calculation has 28 digits.
    """
    alpha, time = Decimal(ALPHA), Decimal(len(scores))
    wanted = -2 * alpha.ln()
    rho2 = (wanted + (wanted + 1).ln()) / TUNED_FOR
    mixed = time * rho2 + 1
    variance = statistics.variance(map(Decimal, scores))
    return float((variance * 2 * mixed / (time**2 * rho2) * (mixed.sqrt() / alpha).ln()).sqrt())


class TestInterval:
    @pytest.mark.parametrize("games", [2, 3, 10, 100, 1000])
    def test_interval_follows_formula_of_paper(self, games):
        scores = Random(games).choices(range(1, 12), k=games)
        assert interval_half_width(scores) == pytest.approx(half_width(scores), rel=1e-12)

    @pytest.mark.parametrize("scores", [[], [5]])
    def test_too_few_games_have_no_interval(self, scores):
        assert interval_half_width(scores) is None

    def test_equal_scores_have_zero_width(self):
        assert interval_half_width([5] * 10) == 0

    def test_interval_holds_at_every_look(self):
        """At ten looks at each of 200 players, the true mean of at most 5 % of them is ever outside."""
        outcomes, weights = [3, 4, 5, 6, 11], [10, 35, 40, 14, 1]
        truth = sum(score * weight for score, weight in zip(outcomes, weights, strict=True)) / sum(weights)
        missed = 0
        for player in range(200):
            scores = Random(player).choices(outcomes, weights, k=1000)
            sums = list(accumulate(scores))
            missed += any(
                abs(sums[games - 1] / games - truth) > interval_half_width(scores[:games])
                for games in range(PROVISIONAL, 1001, 100)
            )
        assert missed <= 10

    def test_interval_is_half_wider_than_one_look(self):
        scores = Random(1).choices([3, 4, 5, 6], k=TUNED_FOR)
        once = 1.96 * statistics.stdev(scores) / TUNED_FOR**0.5
        assert 1.4 < interval_half_width(scores) / once < 1.7


class TestSplits:
    @given(st.data())
    def test_fold_gives_same_rows_for_any_interleaving(self, data):
        """The events of matches arrive in any order that keeps each match's own, with rows looked at meanwhile."""
        records = Records()
        for _ in range(data.draw(st.integers(1, 6))):
            scores = data.draw(st.lists(st.integers(1, 11), max_size=4))
            version, took_ms = data.draw(st.sampled_from("12")), data.draw(st.integers(0, 3))
            records.match(data.draw(st.sampled_from(["ann", "bob"])), scores, version, took_ms=took_ms)
        by_match = defaultdict(list)
        for event in records.events:
            by_match[event.match].append(event)
        fold = LeaderboardFold("classic")
        while by_match:
            match = data.draw(st.sampled_from(sorted(by_match)))
            fold.add(by_match[match].pop(0))
            if not by_match[match]:
                del by_match[match]
            if data.draw(st.booleans()):
                fold.rows()
        assert fold.rows() == leaderboard(records.events, "classic")

    @given(st.lists(st.integers(0, 40), min_size=2))
    def test_counts_give_same_figures_as_lists(self, numbers):
        counts = Counter(numbers)
        assert mean(counts) == sum(numbers) / len(numbers)
        assert variance(counts) == pytest.approx(statistics.variance(numbers))
        assert percentile(counts, 0.95) == sorted(numbers)[math.ceil(0.95 * len(numbers)) - 1]

    @given(st.lists(st.tuples(st.integers(100, 130), st.integers(2, 10)), max_size=8))
    def test_rank_counts_rows_that_are_wholly_better(self, drawn):
        """The ranks equal those of comparing every row with every other."""
        records = Records()
        for number, (games, middle) in enumerate(drawn):
            records.match(f"p{number}", around(middle, games))
        rows = list(records.rows().values())
        for row in rows:
            assert row.rank == 1 + sum(other.high < row.low for other in rows)
            assert row.rank_worst == len(rows) - sum(row.high < other.low for other in rows)


def test_leaderboard_document_holds_ladder_and_rows():
    ladder = load_ladders()["classic"].info()
    document = leaderboard_document(ladder, leaderboard(EVENTS, "classic"))
    assert (document["ladder"], document["rules"], document["codemaker"]) == ("classic", "4x6", "fixed")
    assert document["guess_limit"] == 10
    assert [row["player"] for row in document["rows"]] == ["bob", "ann"]
    assert document["rows"][1]["histogram"] == ((4, 1), (11, 3))
