"""Entity tags, and compression of the layer that represents answers."""

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from evilpegs_server.representation import MIN_GZIP_BYTES, Representation
from evilpegs_server.site.app import MAX_KEPT, HeadAsGet, Represented, matching_tag
from evilpegs_server.site.responses import answer, problem_response
from support.patience import PATIENCE

BODIES = {"small": b"[1]", "medium": b"12, " * MIN_GZIP_BYTES, "large": b"345, " * 50_000}


@pytest.fixture
def browse():
    async def reply(request):
        name = request.path_params["name"]
        if name == "broken":
            return problem_response(404, "nothing")
        return Response(BODIES[name], media_type="application/json")

    def browse():
        return client_of(HeadAsGet(Represented(Starlette(routes=[Route("/{name}", reply)]))))

    return browse


def client_of(app):
    return httpx.AsyncClient(
        timeout=PATIENCE,
        transport=httpx.ASGITransport(app),
        base_url="http://test",
        headers={"accept-encoding": "identity"},
    )


@pytest.mark.parametrize("name", BODIES)
async def test_equal_answer_is_not_sent_again(browse, name):
    async with browse() as client:
        first = await client.get(f"/{name}")
        again = await client.get(f"/{name}", headers={"if-none-match": first.headers["etag"]})
    assert first.content == BODIES[name]
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["cache-control"] == first.headers["cache-control"] == "no-cache"


async def test_tags_in_several_lines_are_one_list(browse):
    async with browse() as client:
        tag = (await client.get("/medium")).headers["etag"]
        answer = await client.get("/medium", headers=[("if-none-match", '"other"'), ("if-none-match", tag)])
    assert answer.status_code == 304


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
    assert int(packed.headers["content-length"]) < len(plain.content) / 10
    assert packed.headers["etag"] != plain.headers["etag"]
    assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
    assert again.status_code == 304


async def test_small_answer_is_not_compressed(browse):
    async with browse() as client:
        assert "content-encoding" not in (await client.get("/small", headers={"accept-encoding": "gzip"})).headers


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


class TestKeptAnswer:
    """An answer that is current goes out without the routes, in every form; another one is asked for."""

    @pytest.fixture
    def shown(self):
        return {"text": b"12, " * MIN_GZIP_BYTES, "asked": []}

    @pytest.fixture
    def client(self, shown):
        async def show(request):
            shown["asked"].append(str(request.query_params))
            text = shown["text"]
            return answer(Representation(text, lambda: shown["text"] is text))

        return client_of(HeadAsGet(Represented(Starlette(routes=[Route("/shown", show)]))))

    async def test_routes_are_asked_once_for_all_forms(self, client, shown):
        async with client:
            first = await client.get("/shown")
            packed = await client.get("/shown", headers={"accept-encoding": "gzip"})
            head = await client.head("/shown")
            again = await client.get("/shown", headers={"if-none-match": first.headers["etag"]})
        assert first.content == packed.content == shown["text"]
        assert (packed.headers["content-encoding"], head.headers, again.status_code) == ("gzip", first.headers, 304)
        assert shown["asked"] == [""]

    async def test_changed_answer_is_asked_for_at_once(self, client, shown):
        async with client:
            old = await client.get("/shown")
            shown["text"] = b"[2]"
            new = await client.get("/shown", headers={"if-none-match": old.headers["etag"]})
        assert (new.status_code, new.content) == (200, b"[2]")

    async def test_each_query_has_its_own_and_they_are_bounded(self, client, shown):
        async with client:
            for number in (1, 2, 1, *range(3, MAX_KEPT + 2), 1):
                await client.get(f"/shown?n={number}")
        assert shown["asked"] == [f"n={number}" for number in (1, 2, *range(3, MAX_KEPT + 2), 1)]

    async def test_other_methods_get_no_kept_answer(self, client):
        async with client:
            await client.get("/shown")
            assert (await client.post("/shown")).status_code == 405
