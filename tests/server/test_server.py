"""The server as a whole: the file of its solved positions, and the metrics it logs at its end."""

import pytest
import structlog

from evilpegs_server.server import running_server, solved_path
from evilpegs_server.settings import Settings


@pytest.mark.parametrize(("given", "used"), [(None, "a.sqlite3.solved"), ("b", "b")])
def test_solved_path_defaults_beside_database(tmp_path, given, used):
    settings = Settings(database=f"sqlite:///{tmp_path / 'a.sqlite3'}", solved=given and tmp_path / given)
    assert solved_path(settings) == tmp_path / used


async def test_server_end_logs_codemaking_metrics(database):
    with structlog.testing.capture_logs() as logged:
        async with running_server(Settings(port=0, site=False, database=database), structlog.get_logger()):
            pass
    [entry] = [entry for entry in logged if entry["event"] == "codemaking"]
    assert entry["log_level"] == "debug"
    assert {"known", "part_sizes", "live_set_bytes", "solved", "replies", "hints"} <= set(entry)
