"""The routes of the site, on a real server on which matches were played."""

import json
import socket
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from websockets.sync.client import connect

from evilpegs.main import main
from evilpegs_protocol.record import parse_bytes, signed_statement
from evilpegs_server.match.ladders import load_ladders
from support.patience import PATIENCE
from support.site_server import read_computed


def get(web, path, status=200, **options):
    """Return the JSON document at a path."""
    answer = web.get(path, **options)
    assert answer.status_code == status, answer.text
    kind = "application/json" if status == 200 else "application/problem+json"
    assert answer.headers["content-type"] == kind
    return answer.json()


def get_pages(web, path, **params):
    """Return the documents of all pages."""
    pages = [get(web, path, params=params)]
    while pages[-1]["next"] is not None:
        pages.append(get(web, pages[-1]["next"]))
    return pages


# Ladders


def test_ladders_are_all_listed_with_bounds(web):
    ladders = {ladder["id"]: ladder for ladder in get(web, "/api/v1/ladders")["ladders"]}
    assert list(ladders) == list(load_ladders())
    assert ladders["classic"]["codes"] == 1296
    assert ladders["classic"]["bounds"]["worst"]["at_most"] == 5
    assert ladders["classic"]["clock"] == {"base_ms": 60000, "increment_ms": 1000}
    assert ladders["classic"]["offered"]
    assert not ladders["colossus-evil"]["offered"]


def test_leaderboard_equals_that_of_command(web, site, capsys):
    capsys.readouterr()
    assert main(["leaderboard", "--ladder", "classic", "--database", site.database, "--json"]) == 0
    [expected] = json.loads(capsys.readouterr().out)["ladders"]
    assert get(web, "/api/v1/ladders/classic/leaderboard") == expected
    [row] = expected["rows"]
    assert (row["player"], row["client"], row["games"]) == ("minimax", "raw 1", 10)


def test_leaderboard_has_rows_of_kind(web):
    path = "/api/v1/ladders/classic/leaderboard"
    everybody = get(web, path)
    assert [row["kind"] for row in everybody["rows"]] == ["bot"]
    assert get(web, f"{path}?kind=bot") == everybody
    assert get(web, f"{path}?kind=human") == everybody | {"rows": [], "places": []}
    assert "kind" in get(web, f"{path}?kind=guest", 400)["detail"]


@pytest.mark.parametrize(
    ("players", "status"), [("minimax,bob", 404), ("minimax", 400), ("minimax,Minimax", 404), ("a,b,c", 400)]
)
def test_players_that_cannot_be_compared_are_one_line(web, players, status):
    assert get(web, f"/api/v1/ladders/classic/leaderboard?between={players}", status)["detail"].isascii()


def test_empty_leaderboard_has_no_rows(web):
    assert get(web, "/api/v1/ladders/super/leaderboard")["rows"] == []


@pytest.mark.parametrize("ladder", ["nothing", "classic-practice", "%00", "x" * 2000, "é"])
def test_leaderboard_of_other_ladder_is_not_found(web, ladder):
    assert get(web, f"/api/v1/ladders/{ladder}/leaderboard", 404)["detail"].isascii()


def test_ladder_alone_is_as_in_the_list(web):
    for ladder in get(web, "/api/v1/ladders")["ladders"][::9]:
        assert get(web, f"/api/v1/ladders/{ladder['id']}") == ladder
    assert "classic" in get(web, "/api/v1/ladders/clasic", 404)["detail"]


def test_api_answers_with_its_index(web):
    links = web.get("/", headers={"accept": "application/json"}).json()
    assert get(web, "/api/v1/") == get(web, "/api/v1") == links


def test_unknown_ladder_has_suggestions(web):
    assert "the nearest are classic, " in get(web, "/api/v1/ladders/clasic/leaderboard", 404)["detail"]


# Players


def test_players_are_paged_by_name(web):
    pages = get_pages(web, "/api/v1/players", limit=1)
    assert [player["name"] for page in pages for player in page["players"]] == ["bob", "minimax"]
    assert pages[0]["next"].startswith("/api/v1/players?")
    assert {player["kind"] for page in pages for player in page["players"]} == {"bot"}


def test_player_has_results_per_ladder_and_version(web):
    player = get(web, "/api/v1/players/minimax")
    assert player["created_at"] > 1_500_000_000_000
    assert [(each["ladder"], each["row"]["client"]) for each in player["results"]] == [
        ("classic", "raw 1"),
        ("classic-evil", "raw 1"),
    ]
    assert get(web, "/api/v1/players/bob")["results"] == []


def test_unknown_player_is_not_found(web):
    assert "'nobody'" in get(web, "/api/v1/players/nobody", 404)["detail"]


# Matches


def test_matches_are_paged_newest_first(web, site):
    pages = get_pages(web, "/api/v1/matches", limit=2)
    assert [[match["match"] for match in page["matches"]] for page in pages] == [[site.open, site.evil], [site.over]]


def test_match_in_list_has_its_results(web, site):
    [match] = get(web, "/api/v1/matches", params={"ladder": "classic"})["matches"]
    assert match["match"] == site.over
    assert match["over"]
    assert (match["player"], match["client"]) == ("minimax", "raw 1")
    assert match["outcomes"] == ["resigned"] * 10
    assert match["guesses"][0] == 2


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ({"ladder": "classic-evil"}, ["evil"]),
        ({"codemaker": "evil"}, ["evil"]),
        ({"codemaker": "fixed"}, ["open", "over"]),
        ({"codemaker": "evil", "ladder": "classic"}, []),
        ({"codemaker": "devil"}, []),
        ({"player": "minimax", "version": "raw 1", "codemaker": "fixed"}, ["open", "over"]),
        ({"player": "bob"}, []),
        ({"player": "nobody"}, []),
        ({"version": "raw 2"}, []),
        ({"player": "minimax", "games": "lost"}, ["evil", "over"]),
        ({"player": "minimax", "games": "longest", "codemaker": "fixed"}, ["over", "open"]),
        ({"since": 0}, ["open", "evil", "over"]),
        ({"since": 4_000_000_000_000}, []),
        ({"cursor": "1-0000000000000000"}, []),
    ],
)
def test_match_filters_hold_together(web, site, params, names):
    found = get(web, "/api/v1/matches", params=params)
    assert [match["match"] for match in found["matches"]] == [getattr(site, name) for name in names]
    assert found["next"] is None


def test_games_of_everybody_are_not_listed(web):
    assert "player" in get(web, "/api/v1/matches?games=lost", 404)["detail"]


def test_longest_games_have_one_page(web):
    found = get(web, "/api/v1/matches", params={"player": "minimax", "games": "longest", "limit": 1})
    assert (len(found["matches"]), found["next"]) == (1, None)


def test_next_page_keeps_filters(web):
    first = get(web, "/api/v1/matches", params={"codemaker": "fixed", "limit": 1})
    second = get(web, first["next"])
    assert [match["ladder"] for page in (first, second) for match in page["matches"]] == ["classic-practice", "classic"]
    assert second["next"] is None


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("limit=0", ["limit", "'0'", "1 or more"]),
        ("limit=101", ["limit", "'101'", "100 or less"]),
        ("limit=many", ["limit", "'many'", "whole number"]),
        ("limit=9" + "9" * 5000, ["limit"]),
        ("since=-1", ["since", "0 or more"]),
        ("since=99999999999999999999", ["since"]),
        ("cursor=xyz", ["cursor", "'xyz'"]),
        ("cursor=", ["cursor"]),
        ("cursor=1f", ["cursor", "'1f'"]),  # of earlier versions
        ("codemaker=honest", ["codemaker", "'honest'", "'evil'"]),
        ("player=Bob%0d%0a", ["player", r"\r\n"]),
        ("ladders=classic", ["'ladders'"]),
        ("games=best&player=bob", ["games", "'best'"]),
        ("version=%ff%fe", ["version"]),
        ("limit=1&limit=2&limit=x", ["limit", "'x'"]),
    ],
)
def test_wrong_parameter_is_one_line(web, query, words):
    problem = get(web, f"/api/v1/matches?{query}", 400)
    assert set(problem) == {"type", "title", "status", "detail"}
    assert problem["detail"].isascii()
    assert len(problem["detail"]) < 200
    assert [word for word in words if word not in problem["detail"]] == []


def test_match_has_its_games_and_turns(web, site):
    match = get(web, f"/api/v1/matches/{site.over}")
    assert (match["ladder"], match["rules"], match["codemaker"]) == ("classic", "4x6", "fixed")
    assert [game["outcome"] for game in match["games"]] == ["resigned"] * 10
    first = match["games"][0]
    assert [(turn["turn"], turn["code"]) for turn in first["turns"]] == [(1, "1122"), (2, "3344")]
    assert len(first["nonce"]) == 64
    assert first["turns"][0]["candidates"] is None


def test_open_match_shows_no_secret(web, site):
    match = get(web, f"/api/v1/matches/{site.open}")
    assert not match["over"]
    [game] = match["games"]
    assert [game[name] for name in ("outcome", "secret", "nonce", "elapsed_ms")] == [None] * 4
    assert game["turns"][0]["candidates"] > 0


@pytest.mark.parametrize("name", ["over", "evil", "open"])
def test_record_has_bytes_of_replay(web, site, capsys, name):
    match = getattr(site, name)
    answer = web.get(f"/api/v1/matches/{match}/record")
    assert answer.headers["content-type"] == "application/jsonl"
    capsys.readouterr()
    assert main(["replay", match, "--database", site.database, "--record", "-"]) == 0
    assert answer.text == capsys.readouterr().out


def test_record_verifies(web, site, tmp_path, capsys):
    path = tmp_path / "record.jsonl"
    path.write_bytes(web.get(f"/api/v1/matches/{site.evil}/record").content)
    assert main(["verify", str(path)]) == 0


def test_open_match_is_not_analyzed(web, site):
    get(web, f"/api/v1/matches/{site.open}/analysis", 409)


@pytest.mark.parametrize("what", ["", "/record", "/analysis"])
@pytest.mark.parametrize("match", ["0" * 16, "x", "%00", "A" * 16, "last", "5" * 3000])
def test_unknown_match_is_not_found(web, match, what):
    get(web, f"/api/v1/matches/{match}{what}", 404)


def test_finished_match_may_be_kept_and_open_one_not(web, site):
    kept = [web.get(f"/api/v1/matches/{match}").headers["cache-control"] for match in (site.over, site.open)]
    assert kept == ["max-age=3600", "no-cache"]


def test_live_lists_open_match_with_its_watchers(web, site):
    live = get(web, "/api/v1/live")
    assert live == {
        "matches": [
            {"match": site.open, "ladder": "classic-practice", "player": "minimax", "game": 1, "turn": 2, "watchers": 1}
        ],
        "total": 1,
        "next": None,
    }
    assert get(web, "/api/v1/live", params={"ladder": "classic"})["total"] == 0
    assert get(web, "/api/v1/live", params={"cursor": site.open})["matches"] == []


# The server


def test_index_leads_to_every_list(web):
    links = get(web, "/api/v1")["links"]
    assert web.head(links.pop("events")).headers["content-type"].startswith("text/event-stream")
    for path in links.values():
        assert read_computed(str(web.base_url.join(path))).status_code == 200


def test_keys_are_those_of_welcome_and_of_file(web, site):
    keys = get(web, "/api/v1/keys")
    file = Path(site.database.removeprefix("sqlite:///") + ".key.pub")
    assert [*keys["former"], keys["key"]] == [line for line in file.read_text().split("\n") if line and line[0] != "#"]
    over = json.loads(web.get(f"/api/v1/matches/{site.over}/record").text.splitlines()[-1])
    public_key = Ed25519PublicKey.from_public_bytes(parse_bytes(keys["key"], 32))
    public_key.verify(parse_bytes(over["signature"], 64), signed_statement(over))


def test_health_is_never_kept(web):
    for path in ("/healthz", "/readyz"):
        assert web.get(path).headers["cache-control"] == "no-store"


def test_metrics_are_those_of_the_site(web):
    answer = web.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    assert "evilpegs_streams 1.0\n" in answer.text
    assert "evilpegs_guesses_total" not in answer.text


def test_metrics_are_not_for_proxies(web):
    get(web, "/metrics", 403, headers={"x-forwarded-for": "192.0.2.7"})


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_are_refused(web, method):
    answer = web.request(method, "/api/v1/ladders", content=b"x" * 100)
    if method == "BREW":  # unknown to HTTP
        assert answer.status_code in {400, 405}
    else:
        assert (answer.status_code, answer.json()["status"]) == (405, 405)
        assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/nothing", "/api/v2", "/docs", "/redoc", "/openapi.json", "/api/v1/ladders/"])
def test_unknown_path_is_not_found(web, path):
    assert web.get(path).json()["status"] == 404


def test_other_origins_get_no_permission(web):
    answer = web.get("/api/v1/ladders", headers={"origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.startswith("access-control-")]


def test_foreign_host_is_misdirected(web):
    assert get(web, "/", 421, headers={"host": "evil.example"})["status"] == 421


def test_token_and_secrets_are_in_no_answer(web, site):
    paths = ["/api/v1/live", "/api/v1/matches", "/api/v1/players", "/api/v1/players/minimax"]
    paths += [f"/api/v1/matches/{match}{what}" for match in (site.over, site.open) for what in ("", "/record")]
    texts = "".join(web.get(path).text for path in paths)
    assert "minimax" in texts
    assert not [token for token in site.tokens if token in texts]
    open_texts = "".join(web.get(f"/api/v1/matches/{site.open}{what}").text for what in ("", "/record"))
    assert '"nonce":"' not in open_texts
    assert '"nonce":"' in texts


# The game's port


def game_address(site):
    return site.game_url.replace("ws://", "http://").removesuffix("/v1")


@pytest.mark.parametrize(
    ("path", "target"),
    [("/", ""), ("/api/v1/ladders?x=1", "api/v1/ladders?x=1"), ("//evil.example/", "/evil.example/"), ("/\\x", "")],
)
def test_plain_request_to_game_is_redirected(site, path, target):
    answer = httpx.get(httpx.URL(game_address(site)).copy_with(raw_path=path.encode()), timeout=PATIENCE)
    assert answer.status_code == 307
    assert answer.headers["location"] == site.url + target


def test_redirection_follows_host_of_request(site):
    answer = httpx.get(game_address(site), headers={"host": "localhost:1"}, timeout=PATIENCE)
    assert answer.headers["location"] == site.url.replace("127.0.0.1", "localhost")


def test_plain_request_to_game_is_refused_for_foreign_host(site):
    for path in ("/", "/v1"):
        answer = httpx.get(game_address(site) + path, headers={"host": "evil.example"}, timeout=PATIENCE)
        assert answer.status_code == 421
        assert "location" not in answer.headers


def test_plain_request_to_path_of_game_asks_for_upgrade(site):
    assert httpx.get(game_address(site) + "/v1", timeout=PATIENCE).status_code == 426


@pytest.mark.parametrize("host", ["localhost", "evil.example"])
def test_head_request_to_game_gets_headers_only(site, host):
    headers, body = _answer_of_game(site, f"GET / HTTP/1.1\r\nHost: {host}")
    assert f"Content-Length: {len(body)}" in headers
    assert _answer_of_game(site, f"HEAD / HTTP/1.1\r\nHost: {host}") == (headers, b"")


def test_head_request_to_path_of_game_has_no_body(site):
    headers, body = _answer_of_game(site, "HEAD /v1 HTTP/1.1\r\nHost: localhost")
    assert "Allow: GET" in headers
    assert body == b""


@pytest.mark.parametrize(("host", "named"), [(None, "127.0.0.1"), ("localhost", "localhost")])
def test_welcome_names_site(site, host, named):
    hello = '{"type":"hello","client":{"name":"tester","version":"1"}}'
    url = site.game_url.replace("127.0.0.1", host or "127.0.0.1")
    with connect(url, sock=_dial(site), open_timeout=PATIENCE) as connection:
        connection.send(hello)
        welcome = json.loads(connection.recv())
    assert welcome["server"]["site"] == site.url.replace("127.0.0.1", named)
    assert urljoin(welcome["server"]["site"], "api/v1/ladders").endswith("/api/v1/ladders")


def _dial(site):
    url = httpx.URL(site.game_url)
    return socket.create_connection((url.host, url.port))


def _answer_of_game(site, head):
    """Return the status line and the headers without the date, and the body, of the answer to a plain request."""
    with _dial(site) as client:
        client.sendall(f"{head}\r\n\r\n".encode())
        headers, _, body = b"".join(iter(lambda: client.recv(1 << 16), b"")).partition(b"\r\n\r\n")
    return [line for line in headers.decode().split("\r\n") if not line.startswith("Date:")], body
