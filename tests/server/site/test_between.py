"""The difference between two players on a leaderboard, as the site sends it."""

from types import SimpleNamespace

from evilpegs_game.statistics.between import compare_results, difference_lines
from evilpegs_protocol.leaderboard import LeaderboardRow
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.site.routes import between_document


def row(player, histogram):
    games = sum(count for _, count in histogram)
    mean = sum(score * count for score, count in histogram) / games
    return LeaderboardRow(player, "bot 1", games, mean, 4.0, 5.0, 5, 1.0, 3, 1.0, histogram, rank=1, rank_worst=2)


FAST, SLOW, NEW = row("fast", ((4, 60), (5, 40))), row("slow", ((4, 40), (5, 60))), row("new", ((4, 3),))


async def between(*players):
    async def rows(ladder):
        return (FAST, SLOW, NEW) if ladder == "classic" else ()

    site = SimpleNamespace(leaderboards=SimpleNamespace(rows=rows))
    return await between_document(site, load_ladders()["classic"], players)


async def test_difference_is_that_of_command():
    found = await between("slow", "fast")
    assert found.difference == compare_results("classic", SLOW, FAST)
    assert list(found.lines) == difference_lines(found.difference)
    assert [each.player for each in found.rows] == ["slow", "fast"]
    assert (found.ladder, found.guess_limit) == ("classic", 10)


async def test_too_few_games_have_rows_and_a_line():
    found = await between("fast", "new")
    assert found.difference is None
    assert [each.player for each in found.rows] == ["fast", "new"]
    [line] = found.lines
    assert "new has 3 games on classic" in line
