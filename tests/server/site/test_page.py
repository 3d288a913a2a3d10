"""The page as a server sends it: its document, its files, its headers, and the address of the game."""

import json
import re
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from evilpegs_server.listening import find_game_address, find_site_address
from evilpegs_server.publishing.folder import POLICY
from evilpegs_server.settings import Settings
from evilpegs_server.site import page as page_files
from evilpegs_server.site.page import BESIDE, PAGE_FOLDER, load_page, page_headers

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
UNUSED = ("manifest.json", "lit.LICENSES.txt", "marked.LICENSES.txt", "plot.LICENSES.txt")
ROOT = Path(__file__).parents[3]
ACCEPTED = (BROWSER, "*/*", "application/json", "application/json, */*", "")


def policy(answer):
    """Return the directives of the Content-Security-Policy of an answer, by name."""
    directives = answer.headers["content-security-policy"].split(";")
    return {name: sources for name, *sources in (each.split() for each in directives)}


def test_index_is_page_for_browsers_and_links_for_others(web):
    page, preview, *others = [web.get("/", headers={"accept": each}) for each in ACCEPTED]
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.text.startswith("<!doctype html>")
    assert "DIGEST" not in page.text
    assert preview.text == page.text
    assert [each.json()["name"] for each in others] == ["evilpegs"] * 3
    assert all("Accept" in each.headers["vary"].split(", ") for each in (page, preview, *others))


def test_page_says_what_it_is_to_those_who_link_it(web):
    page = web.get("/", headers={"accept": "*/*"}).text
    described = dict(re.findall('<meta [^>]*property="og:([^"]+)" content="([^"]+)">', page))
    assert described.keys() == {"title", "description", "type", "image"}
    picture = web.get(described["image"])  # which names the whole address
    assert picture.headers["content-type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")
    assert f'<meta name="description" property="og:description" content="{described["description"]}">' in page


def test_page_may_only_use_its_server_and_its_game(web, site):
    page = web.get("/", headers={"accept": BROWSER})
    game = httpx.URL(site.game_url)
    assert policy(page) == {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'", f"ws://{game.host}:{game.port}"],
        "manifest-src": ["'self'"],
        "worker-src": ["'self'"],
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


@pytest.fixture(scope="module")
def files(web):
    """The address of the page's files, as its index names it."""
    [digest] = set(re.findall('"static/([^/"]+)/', web.get("/", headers={"accept": BROWSER}).text))
    return f"/static/{digest}"


def test_every_file_is_part_of_the_page():
    paths = [path for path in PAGE_FOLDER.rglob("*") if path.is_file() and path.suffix not in {".py", ".pyc", ".ts"}]
    names = {path.relative_to(PAGE_FOLDER).as_posix(): path for path in paths if path.name != "index.html"}
    assert {names.pop(name).name for name in BESIDE} == load_page().beside.keys()
    assert len(names) > 5
    texts = {f"documents/{path.name}": path for path in ROOT.glob("docs/*") if path.suffix in {".md", ".svg"}}
    texts["documents/protocol.md"] = ROOT / "protocol/README.md"
    files = {name.partition("/")[2]: file.content.body for name, file in load_page().files.items()}
    titles = json.loads(files.pop("documents/titles.json"))
    assert files == {name: path.read_bytes() for name, path in (names | texts).items()}
    assert titles["page"] == "The page"
    assert {f"documents/{name}.md" for name in titles} == {name for name in texts if name.endswith(".md")}


def test_index_names_files_that_exist(web):
    page = web.get("/", headers={"accept": BROWSER}).text
    addresses = [each for each in re.findall('(?:href|src)="([^"#]+)"', page) if not each.startswith("api/")]
    assert len(addresses) > 5
    page = load_page()
    assert {each.removeprefix("static/") for each in addresses} <= page.files.keys() | page.beside.keys()


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("app.js", "text/javascript; charset=utf-8"),
        ("style.css", "text/css; charset=utf-8"),
        ("vendor/manifest.json", "application/json"),
        ("bots/python.txt", "text/plain; charset=utf-8"),
        ("documents/tour.md", "text/markdown; charset=utf-8"),
    ],
)
def test_files_are_served_and_kept(web, files, path, media_type):
    answer = web.get(f"{files}/{path}")
    path = path.replace("documents/", "../../docs/")
    assert answer.content == (PAGE_FOLDER / path).read_bytes()
    assert answer.headers["content-type"] == media_type
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "etag" in answer.headers


def test_code_of_bots_runs_without_network(web, files):
    [policy] = web.get(f"{files}/bots/worker.js").headers.get_list("content-security-policy")
    assert policy == "default-src 'none'; script-src 'unsafe-eval'"
    assert "content-security-policy" not in web.get(f"{files}/app.js").headers


def test_worker_for_offline_names_what_the_page_loads_and_is_never_kept(web, files):
    worker = web.get("/offline.js")
    assert (worker.headers["content-type"], worker.headers["cache-control"]) == (
        "text/javascript; charset=utf-8",
        "no-store",
    )
    assert policy(worker) == {"default-src": ["'none'"], "connect-src": ["'self'"]}
    assert f'const FILES = "{files[1:]}/";' in worker.text
    named = set(re.search('const NAMES = "([^"]+)"', worker.text)[1].split())
    unused = {"preview.png", "package.json", *(f"vendor/{each}" for each in UNUSED)}
    assert named == {name.partition("/")[2] for name in load_page().files} - unused
    assert web.get(f"{files}/offline.js").status_code == 404  # there it would keep nothing but its own folder


def test_manifest_of_installed_page_stays_below_its_folder_and_names_icons(web):
    answer = web.get("/manifest.webmanifest")
    assert (answer.headers["content-type"], answer.headers["cache-control"]) == (
        "application/manifest+json",
        "no-store",
    )
    manifest = answer.json()
    assert {manifest[name] for name in ("start_url", "scope")} == {"./"}
    assert (manifest["name"], manifest["display"]) == ("evilpegs", "standalone")
    for icon in manifest["icons"]:
        sent = web.get(f"/{icon['src']}")
        assert sent.headers["content-type"] == icon["type"]
        if icon["type"] == "image/png":  # whose width and height stand there
            assert "x".join(str(each) for each in struct.unpack(">II", sent.content[16:24])) == icon["sizes"]
            assert len(sent.content) < 12 << 10


def test_changed_policy_of_file_changes_every_address(page_of, monkeypatch):
    page = page_of(FILES)
    monkeypatch.setattr(page_files, "FILE_HEADERS", {"a.js": {"Content-Security-Policy": "sandbox"}})
    assert not page.files.keys() & page_of(FILES).files.keys()


def test_icon_of_site_is_validated_again(web):
    icon = web.get("/favicon.ico")
    assert (icon.headers["content-type"], icon.headers["cache-control"]) == ("image/svg+xml", "no-cache")


@pytest.mark.parametrize("path", ["app.js", "DIGEST/app.js", "0123456789abcdef/app.js"])
def test_file_has_no_address_but_that_of_its_digest(web, path):
    answer = web.get(f"/static/{path}")
    assert (answer.status_code, answer.headers["cache-control"]) == (404, "no-store")
    assert answer.json()["detail"] == f"the page has no file '{path}'"


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/nothing.js",
        "/index.html",
        "/__init__.py",
        "/../app.js",
        "/../evilpegs_clients/errors.py",
        "/%2e%2e/evilpegs_clients/errors.py",
        "/..%2fevilpegs_clients/errors.py",
        "/vendor/..%2f..%2fevilpegs_clients/errors.py",
        "//etc/passwd",
        "/%2fetc/passwd",
        "/app.js%00",
        "/vendor",
    ],
)
def test_other_files_are_unknown(web, files, path):
    answer = web.get(httpx.URL(web.base_url).copy_with(raw_path=f"{files}{path}".encode()))
    assert (answer.status_code, answer.json()["status"]) == (404, 404)


FILES = {"index.html": "static/DIGEST/a.js", "favicon.svg": "x", "a.js": "x", "sub/b.css": "x", "c.py": "x"}


@pytest.fixture
def page_of(tmp_path):
    """Write files and return the page that they make."""

    def page_of(files):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return load_page(folder)

    return page_of


def test_files_of_other_types_are_left_out(page_of):
    page = page_of(FILES)
    digest = page.index.decode().split("/")[1]
    of_folder = [name for name in page.files if "/documents/" not in name]
    assert of_folder == [f"{digest}/{name}" for name in ("a.js", "favicon.svg", "sub/b.css")]


@pytest.mark.parametrize("change", [{"index.html": "/DIGEST/"}, {"sub/b.css": "y"}, {"new.js": "x"}])
def test_changed_file_changes_every_address(page_of, change):
    page, same, changed = page_of(FILES), page_of(FILES), page_of(FILES | change)
    assert page == same
    assert not page.files.keys() & changed.files.keys()
    assert page.index != changed.index


def test_addresses_are_the_same_after_a_restart():
    code = "from evilpegs_server.site.page import load_page; print(*load_page().files)"
    other = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert other.stdout.split() == list(load_page().files)


def test_published_page_may_do_the_same_without_a_game():
    only_in_headers = "; frame-ancestors 'none'"
    assert POLICY + only_in_headers == page_headers(None)["Content-Security-Policy"]


def test_policy_without_game_allows_only_server():
    assert "connect-src 'self';" in page_headers(None)["Content-Security-Policy"]


def address_settings(**settings):
    defaults = dict.fromkeys(("game_url", "site_url", "site_host", "tls_cert"))
    return SimpleNamespace(**(defaults | {"host": "127.0.0.1", "site_port": 8000} | settings))


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        ({}, "ws://asked.example:9/v1"),
        ({"tls_cert": "a.pem"}, "wss://asked.example:9/v1"),
        ({"site_host": "0.0.0.0"}, "ws://127.0.0.1:9/v1"),
        ({"site_host": "10.0.0.1", "host": "0.0.0.0"}, "ws://asked.example:9/v1"),
        ({"site_url": "https://games.example/"}, "wss://games.example/v1"),
        ({"site_url": "http://games.example:8080/pegs/"}, "ws://games.example:8080/pegs/v1"),
        # a URL with the port of the site means no proxy
        ({"site_url": "http://club.example:8000/"}, "ws://club.example:9/v1"),
        ({"site_url": "https://club.example:8000"}, "ws://club.example:9/v1"),
        ({"site_url": "https://club.example/", "game_url": "wss://game.example/v1"}, "wss://game.example/v1"),
    ],
)
def test_settings_decide_address_of_game(settings, url):
    address = find_game_address(address_settings(**settings))
    assert address.port is None
    address.port = 9
    assert address.url_for("asked.example") == url


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        ({}, "http://asked.example:8/"),
        ({"tls_cert": "a.pem"}, "https://asked.example:8/"),
        ({"site_host": "0.0.0.0"}, "http://asked.example:8/"),
        ({"site_host": "10.0.0.1"}, "http://10.0.0.1:8/"),
        ({"site_url": "https://games.example/pegs"}, "https://games.example/pegs/"),
        ({"site_url": "https://games.example/"}, "https://games.example/"),
    ],
)
def test_settings_decide_address_of_site(settings, url):
    assert find_site_address(address_settings(**settings), 8).url_for("asked.example") == url


@pytest.mark.parametrize("url", ["http://a.example/v1", "ws://", "wss://a b/v1", "ws://a.example:0/v1", "a.example"])
def test_game_url_must_be_address_of_game(url):
    with pytest.raises(ValueError, match="not the address of a game"):
        Settings(game_url=url)
