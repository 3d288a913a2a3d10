"""The page as a server sends it: its document, its files, its headers, and the address of the game."""

from types import SimpleNamespace

import httpx
import pytest
import structlog

from evilpegs_server.hosts import GameAddress, game_url_beside
from evilpegs_server.server import find_game_address, running_server
from evilpegs_server.settings import Settings
from evilpegs_server.site.page import PAGE_FOLDER, load_web_files, page_headers
from support.patience import PATIENCE

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


def policy(answer):
    """Return the directives of the Content-Security-Policy of an answer, by name."""
    directives = answer.headers["content-security-policy"].split(";")
    return {name: sources for name, *sources in (each.split() for each in directives)}


def test_index_is_page_for_browsers_and_links_for_others(web):
    page, *others = [web.get("/", headers={"accept": each}) for each in (BROWSER, "*/*", "application/json", "")]
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.content == (PAGE_FOLDER / "index.html").read_bytes()
    assert [each.json()["name"] for each in others] == ["evilpegs"] * 3
    assert all("Accept" in each.headers["vary"].split(", ") for each in (page, *others))


def test_page_may_only_use_its_server_and_its_game(web, site):
    page = web.get("/", headers={"accept": BROWSER})
    game = httpx.URL(site.game_url)
    assert policy(page) == {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'", f"ws://{game.host}:{game.port}"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["referrer-policy"] == "no-referrer"


def test_page_is_validated_again_and_keeps_its_policy(web):
    page = web.get("/", headers={"accept": BROWSER})
    again = web.get("/", headers={"accept": BROWSER, "if-none-match": page.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert page.headers["cache-control"] == "no-cache"
    assert again.headers["content-security-policy"] == page.headers["content-security-policy"]


@pytest.mark.parametrize(("host", "game"), [("127.0.0.2",) * 2, ("localhost:1", "localhost"), ("[::1]",) * 2])
def test_game_is_on_host_of_request(web, site, host, game):
    port = httpx.URL(site.game_url).port
    answer = web.get("/api/v1/game", headers={"host": host})
    assert answer.json()["url"] == f"ws://{game}:{port}/v1"
    allowed = policy(web.get("/", headers={"host": host, "accept": BROWSER}))["connect-src"][1]
    assert allowed == ("ws:" if "[" in game else f"ws://{game}:{port}")


def test_every_file_of_page_is_served(web):
    paths = [path for path in PAGE_FOLDER.rglob("*") if path.is_file() and path.suffix not in {".py", ".pyc", ".ts"}]
    assert len(paths) > 5
    for path in paths:
        answer = web.get(f"/static/{path.relative_to(PAGE_FOLDER).as_posix()}")
        assert answer.content == path.read_bytes(), path
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-cache"
        assert "etag" in answer.headers


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("static/app.js", "text/javascript; charset=utf-8"),
        ("static/style.css", "text/css; charset=utf-8"),
        ("static/vendor/manifest.json", "application/json"),
        ("favicon.ico", "image/svg+xml"),
    ],
)
def test_files_have_their_media_types(web, path, media_type):
    assert web.get(path).headers["content-type"] == media_type


@pytest.mark.parametrize(
    "path",
    [
        "/static/",
        "/static/nothing.js",
        "/static/__init__.py",
        "/static/../evilpegs_clients/errors.py",
        "/static/%2e%2e/evilpegs_clients/errors.py",
        "/static/..%2fevilpegs_clients/errors.py",
        "/static/vendor/..%2f..%2fevilpegs_clients/errors.py",
        "/static//etc/passwd",
        "/static/%2fetc/passwd",
        "/static/app.js%00",
        "/static/vendor",
    ],
)
def test_other_files_are_unknown(web, path):
    answer = web.get(httpx.URL(web.base_url).copy_with(raw_path=path.encode()))
    assert (answer.status_code, answer.json()["status"]) == (404, 404)


def test_files_of_other_types_are_left_out(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("a.js", "sub/b.css", "c.py", "d"):
        (tmp_path / name).write_text("x")
    assert list(load_web_files(tmp_path)) == ["a.js", "sub/b.css"]


def test_policy_without_game_allows_only_server():
    assert "connect-src 'self';" in page_headers(None)["Content-Security-Policy"]


async def test_site_behind_proxy_names_game_beside_it(database):
    settings = Settings(port=0, site_port=0, site_url="https://games.example/pegs", database=database)
    client = httpx.AsyncClient(timeout=PATIENCE)
    async with running_server(settings, structlog.get_logger()) as server, client:
        site = f"http://127.0.0.1:{server.site.port}"
        answer = await client.get(f"{site}/api/v1/game", headers={"host": "games.example"})
        page = await client.get(site, headers={"host": "games.example", "accept": BROWSER})
    assert answer.json()["url"] == "wss://games.example/pegs/v1"
    assert policy(page)["connect-src"] == ["'self'", "wss://games.example"]


@pytest.mark.parametrize(
    ("site_url", "url"),
    [
        ("https://games.example/", "wss://games.example/v1"),
        ("http://games.example:8080/pegs/", "ws://games.example:8080/pegs/v1"),
        ("http://games.example:8000/", None),
        ("https://games.example:8000", None),
    ],
)
def test_site_url_with_port_of_site_means_no_proxy(site_url, url):
    assert game_url_beside(site_url, 8000, "/v1") == url


def game_settings(**settings):
    defaults = dict.fromkeys(("game_url", "site_url", "site_host", "tls_cert"))
    return SimpleNamespace(**(defaults | {"host": "127.0.0.1", "site_port": 8000} | settings))


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        ({}, "ws://asked.example:9/v1"),
        ({"tls_cert": "a.pem"}, "wss://asked.example:9/v1"),
        ({"site_host": "0.0.0.0"}, "ws://127.0.0.1:9/v1"),
        ({"site_host": "10.0.0.1", "host": "0.0.0.0"}, "ws://asked.example:9/v1"),
        ({"site_url": "http://club.example:8000/"}, "ws://club.example:9/v1"),
        ({"site_url": "https://club.example/", "game_url": "wss://game.example/v1"}, "wss://game.example/v1"),
    ],
)
def test_settings_decide_address_of_game(settings, url):
    address = find_game_address(game_settings(**settings))
    address.port = 9
    assert address.url_for("asked.example") == url


def test_address_of_game_is_unknown_until_it_listens():
    assert GameAddress("/v1").url_for("localhost") is None


@pytest.mark.parametrize("url", ["http://a.example/v1", "ws://", "wss://a b/v1", "ws://a.example:0/v1", "a.example"])
def test_game_url_must_be_address_of_game(url):
    with pytest.raises(ValueError, match="not the address of a game"):
        Settings(game_url=url)
