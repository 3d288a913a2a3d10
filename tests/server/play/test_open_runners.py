"""Open matches are found by id and by player, and nothing is left of those that were removed."""

from types import SimpleNamespace

import pytest

from evilpegs_server.play.open_runners import OpenRunners


def runner(number, player, *, rated=True):
    """Return what `OpenRunners` looks at of a runner."""
    key = SimpleNamespace(id=f"{number:016x}", ladder=SimpleNamespace(rated=rated))
    return SimpleNamespace(key=key, player=player)


@pytest.fixture
def matches():
    return OpenRunners()


def test_matches_are_found_by_id_and_player(matches):
    first, second, third = runner(1, 7), runner(2, 8, rated=False), runner(3, 7, rated=False)
    for each in (first, second, third):
        matches.add(each)
    assert matches.get(second.key.id) is second
    assert matches.of_player(7) == [first, third]
    assert (list(matches), len(matches), matches.practice) == ([first, second, third], 3, 2)


def test_removed_match_leaves_nothing(matches):
    only = runner(1, 7, rated=False)
    matches.add(only)
    for _ in range(2):
        matches.remove(only)
    assert (matches.get(only.key.id), matches.of_player(7)) == (None, [])
    assert (len(matches), matches.practice) == (0, 0)


def test_matches_can_be_removed_while_listed(matches):
    for number in range(10):
        matches.add(runner(number, number))
    for each in matches:
        matches.remove(each)
    assert len(matches) == 0


def test_finding_by_player_looks_at_no_others(matches):
    """Each runner counts how often its player is read; finding those of one player reads none of the others."""

    class Counted(SimpleNamespace):
        reads = 0

        @property
        def player(self):
            Counted.reads += 1
            return self.number % 1_000

    for number in range(2_000):
        matches.add(Counted(number=number, key=runner(number, 0).key))
    Counted.reads = 0
    assert [each.number for each in matches.of_player(7)] == [7, 1_007]
    assert Counted.reads == 0
