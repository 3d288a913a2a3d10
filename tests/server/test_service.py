"""What the server as a whole does at its end, and beside the process that computes."""

import pytest
import structlog

from evilpegs_server.service import _solved_file, running_server
from evilpegs_server.settings import Settings


@pytest.mark.parametrize(("given", "used"), [(None, "a.sqlite3.solved"), ("b", "b")])
def test_solved_positions_are_kept_beside_the_database_if_no_other_file_is_named(tmp_path, given, used):
    settings = Settings(database=f"sqlite:///{tmp_path / 'a.sqlite3'}", solved=given and tmp_path / given)
    assert _solved_file(settings) == tmp_path / used


async def test_at_the_end_it_is_logged_how_the_codemakers_did(database):
    with structlog.testing.capture_logs() as logged:
        async with running_server(Settings(port=0, database=database), structlog.get_logger()):
            pass
    [entry] = [entry for entry in logged if entry["event"] == "codemaking"]
    assert entry["log_level"] == "debug"
    assert {"known", "part_sizes", "live_set_bytes", "solved", "replies", "hints"} <= set(entry)
