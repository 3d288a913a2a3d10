"""Entity tags, and compression of the layer that represents answers."""

import gzip

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from evilpegs_server.site.app import HeadAsGet
from evilpegs_server.site.caching import MAX_INLINE_BYTES, MIN_GZIP_BYTES, Caching, matching_tag
from evilpegs_server.site.responses import problem_response
from evilpegs_server.storage.reads import BusyError, Reads

BODIES = {"small": b"[1]", "medium": b"12, " * MIN_GZIP_BYTES, "large": b"345, " * MAX_INLINE_BYTES}


class BusyReads:
    async def run(self, *_):
        raise BusyError


@pytest.fixture
def reads():
    reads = Reads()
    yield reads
    reads.close()


@pytest.fixture
def browse(reads):
    async def answer(request):
        name = request.path_params["name"]
        if name == "broken":
            return problem_response(404, "nothing")
        return Response(BODIES[name], media_type="application/json")

    def browse(reads=reads):
        app = HeadAsGet(Caching(Starlette(routes=[Route("/{name}", answer)]), reads))
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://test", headers={"accept-encoding": "identity"}
        )

    return browse


@pytest.mark.parametrize("name", BODIES)
async def test_equal_answer_is_not_sent_again(browse, name):
    async with browse() as client:
        first = await client.get(f"/{name}")
        again = await client.get(f"/{name}", headers={"if-none-match": first.headers["etag"]})
    assert first.content == BODIES[name]
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["cache-control"] == first.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    ("lines", "status", "encoding"),
    [
        ([("accept-encoding", "br"), ("accept-encoding", "gzip")], 200, "gzip"),
        ([("if-none-match", '"other"'), ("if-none-match", "TAG")], 304, None),
    ],
)
async def test_list_in_several_lines_is_one_list(browse, lines, status, encoding):
    async with browse() as client:
        tag = (await client.get("/medium")).headers["etag"]
        del client.headers["accept"]
        answer = await client.get("/medium", headers=[(name, value.replace("TAG", tag)) for name, value in lines])
    assert (answer.status_code, answer.headers.get("content-encoding")) == (status, encoding)


async def test_other_tag_gets_whole_answer(browse):
    async with browse() as client:
        other = (await client.get("/small")).headers["etag"]
        assert (await client.get("/medium", headers={"if-none-match": other})).status_code == 200


@pytest.mark.parametrize("name", ["medium", "large"])
async def test_gzip_has_tag_of_its_own(browse, name):
    async with browse() as client:
        plain = await client.get(f"/{name}")
        packed = await client.get(f"/{name}", headers={"accept-encoding": "gzip"})
        again = await client.get(f"/{name}", headers={"if-none-match": packed.headers["etag"]})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == plain.content
    assert int(packed.headers["content-length"]) == len(gzip.compress(plain.content, 5, mtime=0))
    assert packed.headers["etag"] != plain.headers["etag"]
    assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
    assert again.status_code == 304


async def test_small_answer_is_not_compressed(browse):
    async with browse() as client:
        assert "content-encoding" not in (await client.get("/small", headers={"accept-encoding": "gzip"})).headers


async def test_large_answer_is_sent_plain_while_threads_are_busy(browse):
    async with browse(BusyReads()) as client:
        answers = [await client.get(f"/{name}", headers={"accept-encoding": "gzip"}) for name in ("medium", "large")]
    assert ["content-encoding" in each.headers for each in answers] == [True, False]
    assert answers[1].content == BODIES["large"]


async def test_problem_is_not_stored_nor_negotiated(browse):
    async with browse() as client:
        answer = await client.get("/broken", headers={"accept": "text/html", "if-none-match": "*"})
    assert (answer.status_code, answer.headers["cache-control"]) == (404, "no-store")
    assert "etag" not in answer.headers


async def test_head_has_headers_of_get(browse):
    async with browse() as client:
        head, whole = await client.head("/medium"), await client.get("/medium")
    assert head.headers == whole.headers


@pytest.mark.parametrize(
    ("header", "tag"),
    [("", None), ('"c"', None), ('"b"', '"b"'), ('"c", W/"b"', '"b"'), ("*", '"a"'), ("a", None)],
)
def test_if_none_match_names_tag(header, tag):
    assert matching_tag(header, ('"a"', '"b"')) == tag
