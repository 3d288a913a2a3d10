"""The file of the feed's cursor, and where a feed begins without one that it can use."""

import json

import pytest

from evilpegs_protocol import files
from evilpegs_server.feed.cursor import FeedCursor
from evilpegs_server.storage.log.archive import load_last_event_id, load_log_id


@pytest.fixture
def path(tmp_path):
    return tmp_path / "evilpegs.sqlite3.feed"


@pytest.fixture
async def end(ann, engine):
    """Store some events; return the end of the log."""
    await ann.play("tiny")
    return load_last_event_id(engine)


@pytest.fixture
def restart(path, engine, log):
    """Return the cursor with which a feed starts."""
    cursors = []

    def restart(gone=0):
        for cursor in cursors:
            cursor.close()
        cursors.append(FeedCursor(path, engine, log.logger, gone=gone))
        return cursors[-1]

    yield restart
    cursors[-1].close()


async def test_new_cursor_is_at_end_and_stored_at_once(end, restart, path, engine, log):
    assert restart().position == end > 1
    assert json.loads(path.read_text()) == {"log": load_log_id(engine), "event": end}
    assert path.stat().st_mode & 0o777 == 0o600
    assert log == []


async def test_stored_cursor_is_kept(end, restart, log):
    cursor = restart()
    cursor.position = 1
    cursor.store()
    assert restart().position == 1
    assert log == []


async def test_cursor_of_before_the_log_was_copied_again(end, restart, log):
    """Its id names nothing, and all events that follow were published with other ids."""
    cursor = restart()
    cursor.position = 1
    cursor.store()
    assert restart(gone=1).position == end
    assert len(log) == 1
    log.clear()
    assert restart(gone=1).position == end


@pytest.mark.parametrize(
    "content",
    ['{"log":"of another one","event":1}', '{"log":"LOG","event":1000}', '{"log":"LOG","event":"1"}', '{"log":', ""],
    ids=["another log", "restored backup", "no number", "half", "empty"],
)
async def test_unusable_cursor_begins_at_end(end, restart, path, engine, log, content):
    path.write_text(content.replace("LOG", load_log_id(engine)))
    assert restart().position == end
    assert [line["level"] for line in log] == ["warning"]
    assert restart().position == end
    assert len(log) == 1


async def test_foreign_file_is_not_overwritten(end, restart, path, log):
    path.write_text("somebody's")
    cursor = restart()
    assert cursor.position == end
    cursor.position = 1
    cursor.store()
    assert path.read_text() == "somebody's"
    assert len(log) == 1


async def test_unwritable_folder_is_logged_once(end, path, engine, log):
    cursor = FeedCursor(path.parent / "none" / path.name, engine, log.logger)
    assert (cursor.position, cursor.is_taken) == (end, False)
    cursor.position = 1
    cursor.store()
    assert [line["level"] for line in log] == ["warning"]


async def test_cursor_is_stored_when_disk_is_better(end, restart, path, monkeypatch):
    cursor = restart()
    cursor.position = 1
    with monkeypatch.context() as patch:
        patch.setattr(files.os, "fsync", fail)
        cursor.store()
    assert json.loads(path.read_text())["event"] == end
    cursor.store()
    assert json.loads(path.read_text())["event"] == 1


def fail(_):
    raise OSError("no space left")


async def test_second_cursor_is_taken_and_writes_nothing(end, restart, path, engine, log):
    restart()
    second = FeedCursor(path, engine, log.logger)
    second.position = 1
    second.store()
    assert second.is_taken
    assert json.loads(path.read_text())["event"] == end
    assert "another process" in log[0]["event"]
    second.close()
    assert not restart().is_taken
