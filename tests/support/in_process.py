"""A server whose site and leaderboards run in the process of the test."""

from functools import partial

from evilpegs_server import server
from evilpegs_server.show_server import running_show

running_server = partial(server.running_server, show=running_show)
