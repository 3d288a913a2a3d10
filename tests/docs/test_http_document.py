"""Every example of docs/http.md runs against a real server, and shows an answer of the right form."""

import json
import re
import shlex
from pathlib import Path

import httpx
import pytest

from evilpegs.main import main
from evilpegs_server.site.openapi import OPENAPI_FILE
from support.patience import PATIENCE
from support.site_server import played_site
from support.waiting import wait_until

PAGE = Path(__file__).parents[2] / "docs/http.md"
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
ADDRESS, GAME = "http://127.0.0.1:8000/", "http://127.0.0.1:8765/"
ELLIPSIS = "…"
OVER, OPEN = "1a3185c59c4ed34a", "1a3185c59c4ed34b"


def openapi():
    """Return the description that the server sends, as tests of the site assert."""
    return json.loads(OPENAPI_FILE.read_text())


def examples():
    """Return the commands of the page with what they print, in order."""
    text = "".join(CONSOLE.findall(PAGE.read_text()))
    return [tuple(part.split("\n", 1)) for part in text.split("$ ")[1:]]


def misfits(shown, real, where="$"):
    """Yield where a document on the page has another form than the real one."""
    if shown is None or real is None or shown == ELLIPSIS:
        return
    if isinstance(shown, dict) and isinstance(real, dict):
        if ELLIPSIS not in shown and set(shown) != set(real):
            yield f"{where}: {sorted(set(shown) ^ set(real))}"
        for name in set(shown) - {ELLIPSIS}:
            yield from misfits(shown[name], real[name], f"{where}.{name}") if name in real else [f"{where}.{name}"]
    elif isinstance(shown, list) and isinstance(real, list):
        for each in shown:
            yield from misfits(each, real[0], f"{where}[]") if real else [f"{where} is empty"]
    elif type(shown) is not type(real):
        yield f"{where}: {shown!r} is not like {real!r}"


class Curl:
    """The part of curl that the page needs. The page's address, matches, log and tag stand for the real ones."""

    def __init__(self, site, folder):
        game = site.game_url.replace("ws://", "http://").removesuffix("v1")
        self.real = {ADDRESS: site.url, GAME: game, OVER: site.over, OPEN: site.open}
        self.folder, self.tag = folder, ""

    def follow(self, arguments, printed):
        """Compare the beginning of a stream with what the page shows of it."""
        shown = [dict(line.split(": ", 1) for line in block.splitlines()) for block in printed.strip().split("\n\n")]
        *more, url = arguments
        headers = dict(word.split(": ") for word in more if word != "-H")
        for name, real in self.real.items():
            url = url.replace(name, real)
            headers = {key: value.replace(name, real) for key, value in headers.items()}
        with httpx.stream("GET", url, headers=headers, timeout=PATIENCE) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            lines = answer.iter_lines()
            for event in shown:
                real = dict(line.split(": ", 1) for line in iter(lines.__next__, ""))
                self.real[event["id"].split("-")[0]] = real["id"].split("-")[0]
                assert real.get("event") == event.get("event")
                assert list(misfits(json.loads(event["data"]), json.loads(real["data"]))) == []
                assert json.loads(event["data"]).get("type") == json.loads(real["data"]).get("type")

    def run(self, arguments):
        """Send a request; return the answer and whether the page shows its headers."""
        method, headers, out, url = "GET", {}, None, None
        words = iter(arguments)
        for word in words:
            match word:
                case "-I":
                    method = "HEAD"
                case "-H":
                    name, value = next(words).split(": ")
                    headers[name] = value.replace("ETAG", self.tag)
                case "-o":
                    out = self.folder / next(words)
                case "-i":
                    pass
                case _:
                    assert url is None, word
                    url = word
        assert url.startswith((ADDRESS, GAME))
        for shown, real in self.real.items():
            url = url.replace(shown, real)
        answer = answered(method, url, headers)
        self.tag = answer.headers.get("etag", self.tag)
        if out is not None:
            out.write_bytes(answer.content)
        return answer, bool({"-i", "-I"} & set(arguments))


def answered(method, url, headers):
    """Return the answer, asked for again while the server says that an analysis takes long on a busy machine."""

    def ask():
        answer = httpx.request(method, url, headers=headers, timeout=PATIENCE)
        return (answer,) if answer.status_code != 503 else None  # an answer with an error is false

    return wait_until(ask)[0]


def check_answer(answer, printed, with_headers):
    """Compare an answer with what the page shows of it."""
    status, body = 200, printed
    if with_headers:
        head, _, body = printed.partition("\n\n")
        first, *lines = head.splitlines()
        status = int(first.split()[1])
        for line in lines:
            name, value = line.split(": ", 1)
            assert name in answer.headers, line
            assert name == "etag" or answer.headers[name] == value
    assert answer.status_code == status, answer.text
    if body.strip():
        assert list(misfits(json.loads(body), answer.json())) == []


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with played_site(f"sqlite:///{tmp_path_factory.mktemp('http') / 'a.sqlite3'}") as played:
        played.wait_for_leaderboards()
        yield played


@pytest.mark.full
def test_http_examples_work(site, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    curl = Curl(site, tmp_path)
    for command, printed in examples():
        program, *arguments = shlex.split(command)
        if program == "evilpegs":
            assert main(arguments) == 0
        elif arguments[0] == "-N":
            curl.follow(arguments[1:], printed)
        else:
            assert program == "curl"
            answer, with_headers = curl.run(arguments)
            check_answer(answer, printed, with_headers)


def test_http_page_names_every_path():
    text = PAGE.read_text()
    for path in openapi()["paths"]:
        plain = re.sub(r"\{(\w+)\}", lambda match: {"player": "NAME"}.get(match[1], match[1].upper()), path)
        assert f"`{plain}`" in text


def test_http_page_explains_every_error():
    statuses = {status for methods in openapi()["paths"].values() for status in methods["get"]["responses"]}
    listed = set(re.findall(r"^\| (\d{3}) \|", PAGE.read_text(), re.MULTILINE))
    assert statuses - {"200"} <= listed


def test_misfits_are_noticed():
    """The control of the tests above."""
    real = {"a": 1, "b": [{"c": "x"}], "d": None}
    assert list(misfits({"a": 2, "b": [{"c": "y"}, "…"], "d": 5}, real)) == []
    assert list(misfits({"a": 2, "…": "…"}, real)) == []
    for wrong in ({"a": 2}, {"a": "2", "…": "…"}, {"b": [{"e": 1}], "…": "…"}, {"f": 1, "…": "…"}):
        assert list(misfits(wrong, real)) != []
