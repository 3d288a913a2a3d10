"""A server in the process of the test, whose site and leaderboards run in it too."""

from functools import partial

import structlog

from evilpegs_server import server
from evilpegs_server.settings import Settings
from evilpegs_server.show_server import running_show
from evilpegs_server.timing import Timing

running_server = partial(server.running_server, show=running_show)


def serving(database, timing=Timing(), clock=None, **settings):
    """Run a server in the block, on any free ports; without a site unless it is one of the ``settings``."""
    options = {"port": 0, "site": False, "site_port": 0, "database": database} | settings
    return running_server(Settings(**options), structlog.get_logger(), timing=timing, clock=clock)
