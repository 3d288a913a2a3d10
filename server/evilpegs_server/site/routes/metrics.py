import ipaddress
import re
from typing import Any, Final

from fastapi import APIRouter, HTTPException, Request, Response
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from evilpegs_server.hosts import host_name
from evilpegs_server.site.responses import problem_statuses
from evilpegs_server.site.site import CurrentSite

router = APIRouter(tags=["server"])
# headers that a proxy adds: a request with one may come from anywhere
_FORWARDED: Final = re.compile(r"forwarded|via|x-forwarded-.*|x-real-ip|cf-connecting-ip|true-client-ip")

_METRICS: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The numbers in the text format of Prometheus.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    },
    **problem_statuses(403),
}


@router.get("/metrics", response_class=Response, responses=_METRICS)
async def get_metrics(site: CurrentSite, request: Request) -> Response:
    """Return the metrics of the server in the text format of Prometheus.

    Only programs on this machine may read them, unless the setting `public_metrics` allows all machines.
    """
    if not site.public_metrics and not is_local(request):
        raise HTTPException(403, "metrics are for this machine only; see the setting public_metrics")
    headers = {"Cache-Control": "no-store", "Content-Type": CONTENT_TYPE_LATEST}
    return Response(site.metrics.text(), headers=headers)


def is_local(request: Request) -> bool:
    """Return True if a request comes from this machine, not through a proxy on it.

    A proxy that sets a loopback Host and adds no header of its own cannot be detected.
    """
    if request.client is None or any(_FORWARDED.fullmatch(name.lower()) for name in request.headers):
        return False
    named = host_name(request.headers.get("host", "")) or ""
    return _is_loopback(request.client.host) and (named == "localhost" or _is_loopback(named))


def _is_loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)
