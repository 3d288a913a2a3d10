"""The entrance of a game port, for tests of connections without a gateway."""

from evilpegs_server.gateway.admission import Admission, AdmissionLimits
from evilpegs_server.gateway.entrance import Entrance, EntranceRules
from evilpegs_server.gateway.proxies import TrustedProxies
from evilpegs_server.hosts import AllowedHosts, AllowedOrigins


def default_entrance(now):
    """Return an entrance with default limits, without TLS and without proxies; ``now`` returns milliseconds."""
    hosts = AllowedHosts()
    rules = EntranceRules(hosts, AllowedOrigins(hosts, None), TrustedProxies(()))
    return Entrance(rules, Admission(AdmissionLimits()), now)
