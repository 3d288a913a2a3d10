"""The entrance of a game port, for tests of connections without a gateway."""

from evilpegs_server.addresses import TrustedProxies
from evilpegs_server.gateway.admission import Admission
from evilpegs_server.gateway.entrance import Entrance
from evilpegs_server.hosts import AllowedHosts
from evilpegs_server.settings import Settings
from support.patience import PATIENCE


def default_entrance(now):
    """Return an entrance with default limits, without TLS and without proxies; ``now`` returns milliseconds."""
    return Entrance(Admission(Settings()), now, AllowedHosts(), None, None, TrustedProxies(), tls_seconds=PATIENCE)
