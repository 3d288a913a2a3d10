"""Proxies that the environment names: which connections take one, and what is said if it refuses.

Only the fake proxies know the host games.example: they lead each of its ports to that port of this machine.
"""

import asyncio
import os
import re
from contextlib import asynccontextmanager, suppress

import pytest

from evilpegs_clients.connection.connection import dial
from evilpegs_clients.connection.proxies import proxy_for
from evilpegs_clients.connection.server_reader import ServerReader
from evilpegs_clients.errors import ServerUnreachableError
from support.brokers import free_port
from support.patience import PATIENCE
from support.scripted_site import ScriptedSite, running_site

NEWEST = "/api/v1/matches?over=true&limit=1"
ELSEWHERE = "ws://games.example:8765/v1"
PASSWORD = "geheim"
NO_PROXIES = ["localhost,[::1]", "fe80::/10", "[fe80::]/10,169.254.0.0/16", "::1, 127.0.0.1 ,,.local", "http://x,*.y"]


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    """Clear the proxies of the environment; call it with those that it shall have."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for name in [each for each in os.environ if each.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)

    def environment(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return environment


class FakeProxy:
    """A proxy that gives one answer to every request or, without one, leads games.example to this machine."""

    def __init__(self, answer=None):
        self.requests, self._answer = [], answer

    async def serve(self, reader, writer):
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.requests.append(head.split("\r\n")[0])
            if self._answer is not None:
                writer.write(self._answer)
                await writer.drain()
            else:
                await self._lead(head, reader, writer)
        writer.close()

    async def _lead(self, head, reader, writer):
        method, target, _ = self.requests[-1].split(" ")
        port = int(re.search(r"games\.example:(\d+)", target)[1])
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", port)
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        else:
            there_writer.write(re.sub(r"http://games\.example:\d+", "", head, count=1).encode())
        ways = [self._pump(reader, there_writer), self._pump(there_reader, writer)]
        await asyncio.gather(*ways)

    async def _pump(self, source, sink):
        with suppress(ConnectionError):
            while data := await source.read(1 << 16):
                sink.write(data)
        sink.close()


@asynccontextmanager
async def running(proxy):
    async with await asyncio.start_server(proxy.serve, "127.0.0.1", 0) as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def newest_match(url, retry_policy):
    async with ServerReader(url, "reader", retry_policy, print) as reader:
        return await reader.newest_match()


async def refusal(attempt):
    with pytest.raises(ServerUnreachableError) as caught:
        await attempt
    assert str(caught.value).isprintable()
    return str(caught.value)


@pytest.mark.parametrize(
    "variables",
    [
        *({"NO_PROXY": each} for each in NO_PROXIES),
        {"no_proxy": "fe80::/10"},
        {"ALL_PROXY": "socks5://127.0.0.1:1"},
        {"SOCKS_PROXY": "127.0.0.1:1"},
        {"HTTPS_PROXY": "nonsense://"},
    ],
    ids=str,
)
async def test_loopback_takes_no_proxy(environment, retry_policy, variables):
    async with running(FakeProxy(b"")) as proxy, running_site(ScriptedSite({NEWEST: {"matches": []}})) as url:
        environment(**{"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy} | variables)
        assert await newest_match(url, retry_policy) is None
        assert await newest_match(url.replace("127.0.0.1", "localhost"), retry_policy) is None


@pytest.mark.parametrize("no_proxy", [*NO_PROXIES, None])
@pytest.mark.parametrize("scheme", ["", "http://", f"http://ann:{PASSWORD}@"])
async def test_proxy_leads_to_game_and_site(environment, retry_policy, no_proxy, scheme):
    site = ScriptedSite({NEWEST: {"matches": [{"match": "0" * 16}]}})
    async with running(way := FakeProxy()) as proxy, running_site(site) as url:
        site.public_url = site.url.replace("127.0.0.1", "games.example")
        environment(HTTP_PROXY=scheme + proxy, **{} if no_proxy is None else {"NO_PROXY": no_proxy})
        assert await newest_match(url.replace("127.0.0.1", "games.example"), retry_policy) == "0" * 16
        assert [each.split(" ")[0] for each in way.requests] == ["CONNECT", "GET"]


ANSWERS = {
    "403": b"HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\n<p>a",
    "407": b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
    "503": b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\n<p>a",
}
each_answer = pytest.mark.parametrize("status", ANSWERS)


def assert_blames(text, proxy, *facts):
    assert all(fact in text for fact in (f"http://{proxy}", "NO_PROXY=games.example", *facts))
    assert PASSWORD not in text


@each_answer
@pytest.mark.parametrize("url", [ELSEWHERE, ELSEWHERE.replace("ws:", "wss:")])
async def test_refusing_proxy_is_named_by_game_port(environment, status, url):
    async with running(FakeProxy(ANSWERS[status])) as proxy:
        environment(HTTPS_PROXY=f"http://ann:{PASSWORD}@{proxy}")
        assert_blames(await refusal(dial(url, print)), proxy, status)


@each_answer
@pytest.mark.parametrize("site_url", ["http://games.example/", "https://games.example:8000/"])
async def test_refusing_proxy_is_named_by_site(environment, retry_policy, status, site_url):
    site = ScriptedSite()
    async with running(FakeProxy(ANSWERS[status])) as proxy, running_site(site) as url:
        site.public_url = site_url
        environment(HTTP_PROXY=f"http://ann:{PASSWORD}@{proxy}", HTTPS_PROXY=f"ann:{PASSWORD}@{proxy}")
        assert_blames(await refusal(newest_match(url, retry_policy)), proxy, status)


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-something\r\n"])
async def test_proxy_that_is_none_is_named(environment, answer, caplog):
    async with running(FakeProxy(answer)) as proxy:
        environment(HTTP_PROXY=proxy)
        assert_blames(await refusal(dial(ELSEWHERE, print)), proxy)
    assert caplog.records == []  # the library says more of a proxy that hangs up


PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n<p>Log in!"


@pytest.mark.parametrize("answer", [PAGE, PAGE[:-10]], ids=["with page", "without"])
@pytest.mark.parametrize("url", [ELSEWHERE, ELSEWHERE.replace("ws:", "wss:")])
async def test_proxy_with_a_page_of_its_own_is_named_by_game_port(environment, url, answer, caplog):
    async with running(FakeProxy(answer)) as proxy:
        environment(HTTPS_PROXY=f"http://ann:{PASSWORD}@{proxy}")
        text = await refusal(dial(url, print))
    assert (f"http://{proxy}" in text, PASSWORD in text) == (True, False)
    assert caplog.records == []


@pytest.mark.parametrize("site_url", ["http://games.example/", "https://games.example:8000/"])
async def test_proxy_with_a_page_of_its_own_is_named_by_site(environment, retry_policy, site_url):
    site = ScriptedSite()
    async with running(FakeProxy(PAGE)) as proxy, running_site(site) as url:
        site.public_url = site_url
        environment(HTTP_PROXY=proxy, HTTPS_PROXY=proxy)
        assert_blames(await refusal(newest_match(url, retry_policy)), proxy)


@pytest.mark.parametrize("url", [ELSEWHERE, ELSEWHERE.replace("ws:", "wss:")])
async def test_proxy_without_tls_is_named(environment, url):
    async def refuse(reader, writer):
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        proxy = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        environment(HTTPS_PROXY=f"https://{proxy}")
        text = await refusal(dial(url, print))
        assert all(fact in text for fact in (f"https://{proxy}", "http://", "NO_PROXY=games.example"))


async def test_dead_proxy_is_named(environment, retry_policy):
    site, proxy = ScriptedSite(), f"127.0.0.1:{free_port()}"
    async with running_site(site) as url:
        site.public_url = "http://games.example/"
        environment(HTTP_PROXY=f"http://ann:{PASSWORD}@{proxy}")
        assert_blames(await refusal(dial(ELSEWHERE, print)), proxy)
        assert_blames(await refusal(newest_match(url, retry_policy)), proxy)


async def test_silent_proxy_is_named(environment):
    gone = asyncio.Event()

    async def swallow(reader, writer):
        with suppress(ConnectionError):
            await reader.read(-1)
        writer.close()
        gone.set()

    async with await asyncio.start_server(swallow, "127.0.0.1", 0) as server:
        proxy = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        environment(HTTP_PROXY=proxy)
        assert_blames(await refusal(dial(ELSEWHERE, print, 0.05)), proxy)
        await asyncio.wait_for(gone.wait(), PATIENCE)


WRONG = [f"socks5://ann:{PASSWORD}@127.0.0.1:1", f"socks9://{PASSWORD}@h", f"http://a:{PASSWORD}@h:{PASSWORD}"]
WRONG += [f"http://{PASSWORD}@h", f"http://a:{PASSWORD}@[", "http://", f"http://a:{PASSWORD}@h/p?q"]


@pytest.mark.parametrize("wrong", WRONG)
async def test_proxy_that_cannot_be_used_is_one_line(environment, retry_policy, wrong, monkeypatch):
    async def lookup(*args, **kwargs):
        raise OSError(-2, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lookup, raising=False)
    site = ScriptedSite()
    async with running_site(site) as url:
        site.public_url = "http://games.example/"
        environment(HTTPS_PROXY=wrong, HTTP_PROXY=wrong)
        for attempt in (dial(ELSEWHERE, print), newest_match(url, retry_policy)):
            text = await refusal(attempt)
            assert "NO_PROXY=games.example" in text
            assert f"{PASSWORD}@" not in text


@pytest.mark.parametrize(
    ("url", "variables", "proxy"),
    [
        ("ws://games.example/v1", {"HTTP_PROXY": "p:3128"}, "http://p:3128"),
        ("wss://games.example/v1", {"HTTP_PROXY": "p:3128"}, None),
        ("ws://games.example/v1", {"HTTP_PROXY": "p:1", "HTTPS_PROXY": "https://p:2"}, "https://p:2"),
        ("ws://games.example/v1", {"SOCKS_PROXY": "http://p:1"}, "socks5h://p:1"),
        ("ws://games.example/v1", {"ALL_PROXY": "p:1"}, None),
        ("http://games.example/", {"ALL_PROXY": "p:1"}, "http://p:1"),
        ("https://games.example/", {"HTTPS_PROXY": "p:1", "NO_PROXY": "example"}, None),
        ("https://games.example/", {"HTTPS_PROXY": "p:1", "NO_PROXY": "games.example:443"}, "http://p:1"),
        ("http://192.0.2.7/", {"HTTP_PROXY": "p:1", "NO_PROXY": "192.0.2.0/24"}, None),
        ("http://192.0.3.7/", {"HTTP_PROXY": "p:1", "NO_PROXY": "192.0.2.0/24"}, "http://p:1"),
        ("http://[2001:db8::7]:8/", {"HTTP_PROXY": "p:1", "NO_PROXY": "[2001:db8::7]"}, None),
        ("http://[2001:db8::7]/", {"HTTP_PROXY": "p:1", "NO_PROXY": "2001:db8::/32"}, None),
        ("http://games.example/", {"HTTP_PROXY": "p:1", "NO_PROXY": "*"}, None),
        ("http://127.0.3.1/", {"HTTP_PROXY": "p:1"}, None),
    ],
)
def test_proxy_of_a_url(environment, url, variables, proxy):
    environment(**variables)
    assert proxy_for(url) == proxy
