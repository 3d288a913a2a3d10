"""An entrance for connections that are tested without a gateway."""

from evilpegs_server.gateway.admission import Admission, AdmissionLimits
from evilpegs_server.gateway.entrance import Entrance, EntranceRules
from evilpegs_server.gateway.proxies import TrustedProxies
from evilpegs_server.hosts import AllowedHosts, AllowedOrigins


def default_entrance(now):
    """Return the entrance of a server with default limits, without TLS and proxies. ``now`` returns milliseconds."""
    hosts = AllowedHosts()
    rules = EntranceRules(hosts, AllowedOrigins(hosts, None), TrustedProxies(()))
    return Entrance(rules, Admission(AdmissionLimits()), now)
