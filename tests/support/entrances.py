"""The entrance of a game port, for tests of connections without a gateway."""

from evilpegs_server.addresses import TrustedProxies
from evilpegs_server.gateway.entrance import Entrance, EntranceRules
from evilpegs_server.gateway.limits import Admission
from evilpegs_server.hosts import AllowedHosts, AllowedOrigins
from support.limits import admission_limits


def default_entrance(now):
    """Return an entrance with default limits, without TLS and without proxies; ``now`` returns milliseconds."""
    hosts = AllowedHosts()
    rules = EntranceRules(hosts, AllowedOrigins(hosts, None), TrustedProxies(()))
    return Entrance(rules, Admission(admission_limits()), now)
