"""Failures, time limits and hosts, around applications that misbehave."""

import asyncio

import httpx
import pytest
import structlog
from starlette.responses import Response

from evilpegs_server.hosts import AllowedHosts
from evilpegs_server.site.middleware import Guard, HostCheck


def client(app):
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")


async def fine(scope, receive, send):
    await Response("fine")(scope, receive, send)


async def failing(scope, receive, send):
    message = "with a secret"
    raise RuntimeError(message)


async def endless(scope, receive, send):
    await asyncio.Event().wait()


async def failing_late(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    raise RuntimeError


async def test_failure_is_logged_and_answered_without_its_reason():
    with structlog.testing.capture_logs() as logged:
        async with client(Guard(failing, structlog.get_logger())) as web:
            answer = await web.get("/path")
    assert answer.status_code == answer.json()["status"] == 500
    assert "secret" not in answer.text
    assert [(entry["log_level"], entry["path"]) for entry in logged] == [("error", "/path")]


async def test_late_failure_is_logged_and_not_answered_twice():
    sent = []

    async def send(message):
        sent.append(message["type"])

    with structlog.testing.capture_logs() as logged:
        await Guard(failing_late, structlog.get_logger())({"type": "http", "path": "/"}, None, send)
    assert sent == ["http.response.start"]
    assert len(logged) == 1


async def test_request_over_time_is_answered_with_retry():
    async with client(Guard(endless, structlog.get_logger(), seconds=0.01)) as web:
        answer = await web.get("/")
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([("host", "localhost:8000")], 200),
        ([("host", "evil.example")], 421),
        ([("host", "")], 421),
        ([("host", "localhost"), ("host", "localhost")], 421),
    ],
)
async def test_host_is_checked(headers, status):
    async with client(HostCheck(fine, AllowedHosts())) as web:
        answer = await web.send(httpx.Request("GET", "http://localhost/", headers=headers))
    assert answer.status_code == status
    if status == 421:
        assert answer.json()["status"] == 421


@pytest.mark.parametrize(("version", "status"), [("1.0", 200), ("1.1", 421)])
async def test_host_may_be_missing_in_old_protocol_only(version, status):
    sent = []

    async def send(message):
        sent.append(message.get("status"))

    scope = {"type": "http", "http_version": version, "headers": [], "method": "GET", "path": "/"}
    await HostCheck(fine, AllowedHosts())(scope, None, send)
    assert sent[0] == status
