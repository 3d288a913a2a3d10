"""The cursor of the feed, and the pages of results that it reads."""

import pytest

from evilpegs_server.feed.results import READER, FeedCursor
from evilpegs_server.storage.archive import load_cursor, load_last_event_id, load_results_after


class Timer:
    """A call that was to be made later."""

    def __init__(self):
        self.calls = []

    def later(self, _seconds, call):
        self.calls.append(call)

    def run(self):
        while self.calls:
            self.calls.pop(0)()


@pytest.fixture
def new_cursor(fake_server, engine):
    return lambda timer: FeedCursor(engine, fake_server.services.writer, timer.later)


async def resign(client):
    match = await client.play("tiny")
    await client.request(type="resign", match=match)
    await client.receive("match_over")
    return match


async def test_new_cursor_is_stored_before_events(new_cursor, fake_server, ann, engine):
    cursor = new_cursor(Timer())
    await resign(ann)
    assert load_cursor(engine, READER) == cursor.position == 0
    assert load_last_event_id(engine) > 0


async def test_moved_cursor_is_stored_once_later(new_cursor, ann, engine):
    timer = Timer()
    cursor = new_cursor(timer)
    await resign(ann)
    cursor.move(2)
    cursor.move(3)
    assert len(timer.calls) == 1
    assert load_cursor(engine, READER) == 0
    timer.run()
    await resign(ann)
    assert load_cursor(engine, READER) == 3
    assert new_cursor(Timer()).position == 3


async def test_unstored_cursor_is_stored_at_next_move(new_cursor, ann, engine, broken_disk, fake_server):
    timer = Timer()
    cursor = new_cursor(timer)
    await resign(ann)
    cursor.move(2)
    timer.run()
    cursor.move(2)
    timer.run()
    await resign(ann)
    assert load_cursor(engine, READER) == 2


async def test_results_are_read_in_pages(ann, engine):
    played = [await resign(ann) for _ in range(3)]
    first = load_results_after(engine, 0, 2)
    assert ([result.match for result in first.results], first.is_last) == (played[:2], False)
    second = load_results_after(engine, first.last_event, 2)
    assert ([result.match for result in second.results], second.is_last) == (played[2:], True)
    assert second.last_event == load_last_event_id(engine)
    assert '"type":"match_started"' in second.results[0].started
    assert '"type":"match_over"' in second.results[0].over


async def test_page_without_results_moves_on(ann, engine):
    await ann.play("tiny")
    page = load_results_after(engine, 0, 2)
    assert (page.results, page.last_event, page.is_last) == ([], load_last_event_id(engine), True)
