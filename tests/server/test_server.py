"""The server as a whole: the file of its solved positions, and the metrics it logs at its end."""

import pytest
import structlog

from evilpegs_server.outlets import AddressUnusableError
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


async def test_unusable_site_host_is_named(tmp_path):
    settings = Settings(port=0, site_port=0, site_host="203.0.113.7", database=f"sqlite:///{tmp_path / 'a.sqlite3'}")
    with pytest.raises(AddressUnusableError, match=r"203\.0\.113\.7.*site_host"):
        async with running_server(settings, structlog.get_logger()):
            pass
