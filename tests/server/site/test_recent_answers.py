"""Answers that are given again: to the same request, for a moment, within a bound."""

import pytest

from evilpegs_server.site import recent_answers
from evilpegs_server.site.recent_answers import KEEP_SECONDS, MAX_BODY_BYTES, MAX_TOTAL_BYTES, RecentAnswers


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.now = 50.0

    def __call__(self):
        return self.now


class CountingApp:
    """An application that answers with the number of the request."""

    def __init__(self):
        self.requests, self.status, self.pieces, self.padding = 0, 200, 1, b""

    async def __call__(self, scope, receive, send):
        self.requests += 1
        body = b"%d" % self.requests + self.padding
        await send({"type": "http.response.start", "status": self.status, "headers": []})
        for piece in range(self.pieces):
            await send({"type": "http.response.body", "body": body, "more_body": piece < self.pieces - 1})


@pytest.fixture
def app():
    return CountingApp()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ask(app, clock):
    layer = RecentAnswers(app, clock)

    async def ask(path="/api/v1/ladders", query=b"", method="GET", **headers):
        sent = []

        async def send(message):
            sent.append(message)

        fields = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        scope = {"path": path, "raw_path": path.encode(), "query_string": query, "method": method, "headers": fields}
        await layer(scope, None, send)
        return sent[0]["status"], b"".join(message["body"] for message in sent[1:])

    ask.layer = layer
    return ask


async def test_same_request_is_answered_once_a_moment(ask, app, clock):
    assert await ask() == await ask() == (200, b"1")
    clock.now += KEEP_SECONDS
    assert await ask() == (200, b"2")
    assert app.requests == 2


@pytest.mark.parametrize(
    "other",
    [
        {"path": "/api/v1/matches"},
        {"query": b"limit=1"},
        {"method": "HEAD"},
        {"host": "other"},
        {"accept_encoding": "gzip"},
        {"if_none_match": '"1"'},
    ],
)
async def test_other_request_has_answer_of_its_own(ask, other):
    assert await ask() == (200, b"1")
    assert await ask(**other) == (200, b"2")
    assert await ask() == (200, b"1")


async def test_other_headers_share_answer(ask):
    assert await ask(user_agent="a") == await ask(user_agent="b") == (200, b"1")


@pytest.mark.parametrize("path", ["/healthz", "/metrics", "/", "/api/v2/x", "/api/v1/live"])
async def test_other_paths_are_answered_freshly(ask, path):
    assert (await ask(path), await ask(path)) == ((200, b"1"), (200, b"2"))


@pytest.mark.parametrize("status", [206, 404, 409, 421, 500, 503])
async def test_refusals_are_not_kept(ask, app, status):
    app.status = status
    assert (await ask(), await ask()) == ((status, b"1"), (status, b"2"))


async def test_what_client_has_already_is_kept(ask, app):
    app.status = 304
    assert await ask() == await ask() == (304, b"1")


async def test_answer_in_pieces_is_not_kept(ask, app):
    app.pieces = 2
    assert (await ask(), await ask()) == ((200, b"11"), (200, b"22"))


async def test_long_answer_is_not_kept(ask, app):
    app.padding = bytes(MAX_BODY_BYTES)
    await ask()
    await ask()
    assert app.requests == 2


async def test_memory_is_bounded(ask, app):
    app.padding = bytes(MAX_BODY_BYTES - 10)
    fitting = MAX_TOTAL_BYTES // MAX_BODY_BYTES
    for number in range(3 * fitting):
        await ask(query=b"%d" % number)
    answers, size = ask.layer.size
    assert size <= MAX_TOTAL_BYTES
    assert size == sum(len(str(number)) + MAX_BODY_BYTES - 10 for number in range(1, 3 * fitting + 1)[-answers:])
    await ask(query=b"%d" % (3 * fitting - 1))
    assert app.requests == 3 * fitting, "the latest is kept"
    await ask(query=b"0")
    assert app.requests == 3 * fitting + 1, "the first is not"


async def test_number_of_answers_is_bounded(ask, monkeypatch):
    monkeypatch.setattr(recent_answers, "MAX_ANSWERS", 5)
    for number in range(20):
        await ask(query=b"%d" % number)
    assert ask.layer.size[0] == 5
