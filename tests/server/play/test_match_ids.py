"""Match ids sort in the order in which matches begin."""

from evilpegs_server.play.match_ids import MatchIds


def test_match_ids_begin_with_time():
    new = MatchIds(lambda: 0x123456789AB).new()
    assert new.startswith("123456789ab")
    assert len(new) == 16


def test_match_ids_grow_when_clock_is_set_back():
    readings = iter([2_000, 1_000, 1_000])
    ids = MatchIds(lambda: next(readings))
    made = [ids.new() for _ in range(3)]
    assert made == sorted(set(made))
