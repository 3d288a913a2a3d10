"""`evilpegs publish`: a site of files, which replaces the one before as a whole or not at all."""

import errno
import hashlib
import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from evilpegs_server.publishing import folder as folders
from evilpegs_server.publishing import site as sites
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.log.rounds import Round, open_round
from support.classic_games import CLASSIC, GAMES, classic_match
from support.stored_matches import StoredPlay, store, store_players
from support.waiting import wait_until

LONG = 12
"""Matches, enough to kill the command in the middle of them."""


@pytest.fixture
def database(on_disk):
    """Two matches of Ann and one of Bob on classic, and an open one of Eve."""
    file = on_disk / "games.sqlite3"
    engine = open_database(f"sqlite:///{file}")
    store_players(engine)
    store(engine, *classic_match(1), *classic_match(2), *StoredPlay(3, CLASSIC, "bob").play_codes(*GAMES))
    store(engine, StoredPlay(4, CLASSIC, "eve").start())
    engine.dispose()
    return f"sqlite:///{file}"


@pytest.fixture
def publish(run, tmp_path, database):
    """Publish the database to a folder, and return the result."""

    def publish(*options, out=tmp_path / "site"):
        return run("publish", "--out", out, "--database", database, *options)

    return publish


@pytest.fixture
def site(tmp_path):
    return tmp_path / "site"


def manifest_of(site):
    return json.loads((site / "data/manifest.json").read_text())


def document(site, digest):
    return json.loads((site / f"data/{digest[:2]}/{digest[2:]}.json").read_text())


def matches_of(site):
    """Return the digests of record and analysis by match."""
    parts = [document(site, digest) for digest in manifest_of(site)["matches"].values()]
    return {match: digests for part in parts for match, digests in part.items()}


def contents(site):
    """Return all files of the documents by their names."""
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.glob("data/**/*") if path.is_file()}


def test_documents_are_named_by_digest_and_listed(publish, site, run):
    done = publish("--json").document
    assert (done["matches"], done["analyses"], done["without_luck"]) == (3, 3, 0)
    manifest = manifest_of(site)
    for path, content in contents(site).items():
        name = path.removeprefix("data/").replace("/", "").partition(".")[0]
        assert path == "data/manifest.json" or hashlib.sha256(content).hexdigest().startswith(name)
    rows = document(site, manifest["documents"]["api/v1/ladders/classic/leaderboard"])["rows"]
    assert {row["player"] for row in rows} == {"ann", "bob"}
    (listed,) = [document(site, digest)["matches"] for digest in manifest["lists"]]
    assert {each["match"] for each in listed} == matches_of(site).keys() == {f"{number:016x}" for number in (1, 2, 3)}
    record, analysis = matches_of(site)[f"{3:016x}"]
    assert document(site, analysis)["player"] == "bob"
    events = (site / f"data/{record[:2]}/{record[2:]}.jsonl").read_text().splitlines()
    assert [json.loads(events[0])["type"], json.loads(events[-1])["type"]] == ["match_started", "match_over"]
    players = document(site, manifest["players"])
    assert document(site, players["ann"])["results"][0]["row"]["games"] == 2 * len(GAMES)


def test_second_time_writes_and_computes_nothing(publish, site):
    assert publish("--json").document["computed"] == 3
    before = {path: path.stat().st_mtime_ns for path in site.glob("data/??/*")}
    again = publish("--json").document
    assert (again["computed"], again["analyses"]) == (0, 3)
    assert {path: path.stat().st_mtime_ns for path in site.glob("data/??/*")} == before


def test_hidden_player_leaves_no_trace(publish, site, run, database):
    publish()
    assert any(b"bob" in content for content in contents(site).values()), "the control"
    run("players", "hide", "bob", "--database", database)
    publish()
    assert not any(b"bob" in content for content in contents(site).values())
    run("players", "show", "bob", "--database", database)
    publish()
    assert len(matches_of(site)) == 3


def test_forgotten_player_leaves_no_trace(publish, site, run, database):
    publish()
    run("players", "forget", "ann", "--yes", "--database", database)
    publish()
    assert not any(b"ann" in content for content in contents(site).values())


@pytest.mark.parametrize("sealed", [True, False])
def test_sealed_round_is_left_out_until_it_is_over(publish, site, database, run, sealed):
    engine = open_database(database)
    open_round(engine, Round("final", "classic", 4, sealed, opens=0, closes=None, published=None), ["ann", "bob"])
    store(engine, *StoredPlay(5, replace(CLASSIC, id="final"), "ann").play_codes(*GAMES))
    publish()
    shown = manifest_of(site)["documents"]
    assert ("api/v1/rounds/final" in shown) is not sealed
    assert (f"{5:016x}" in matches_of(site)) is not sealed
    refused = publish("--round", "final")
    assert ("sealed until it is over" in refused.err) is sealed
    run("round", "close", "final", "--database", database)
    with engine.connect() as connection:
        connection.exec_driver_sql("UPDATE rounds SET published = 1")
        connection.commit()
    engine.dispose()
    publish("--round", "final")
    assert matches_of(site).keys() == {f"{5:016x}"}
    results = document(site, manifest_of(site)["documents"]["api/v1/rounds/final"])
    assert results["entrants"][0]["result"]["place"] == 1


def test_only_named_ladders_are_published(publish, site):
    publish("--ladder", "classic-evil")
    assert matches_of(site) == {}
    ladders = document(site, manifest_of(site)["documents"]["api/v1/ladders"])["ladders"]
    assert [each["id"] for each in ladders] == ["classic-evil"]


def test_refusals_are_one_line_and_change_nothing(publish, site, tmp_path):
    publish()
    before = contents(site)
    assert "the nearest are classic" in publish("--ladder", "clasic").complaint
    assert "there is no round" in publish("--round", "nope").complaint
    lock = folders.SiteFolder(site)
    assert "another process" in publish().complaint
    lock.close()
    assert contents(site) == before
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    assert "thesis.txt" in publish(out=other).complaint
    assert "File exists" in publish(out=other / "thesis.txt").complaint
    assert (other / "thesis.txt").read_text() == "mine"


def test_full_disk_keeps_the_old_site(publish, site, database, monkeypatch, run):
    publish()
    before = contents(site)
    run("players", "hide", "bob", "--database", database)

    def write(path, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", write)
        assert os.strerror(errno.ENOSPC) in publish().complaint
    assert contents(site) == before
    publish()
    assert len(matches_of(site)) == 2


def test_player_who_is_hidden_meanwhile_is_left_out(publish, site, database, monkeypatch, run):
    """What was written before is written again, without the player."""
    list_matches, hidden = sites.list_matches, []

    def list_and_hide(engine, wanted, limit):
        found = list_matches(engine, wanted, limit)
        if not hidden:
            hidden.append(run("players", "hide", "bob", "--database", database).status)
        return found

    monkeypatch.setattr(sites, "list_matches", list_and_hide)
    publish()
    assert hidden == [0]
    assert matches_of(site).keys() == {f"{number:016x}" for number in (1, 2)}
    assert not any(b"bob" in content for content in contents(site).values())


@pytest.mark.full
def test_killed_command_keeps_the_old_site_and_is_continued(publish, site, database, start):
    publish()
    before = manifest_of(site)
    engine = open_database(database)
    store(engine, *(step for number in range(10, 10 + LONG) for step in classic_match(number)))
    engine.dispose()
    killed = start("publish", "--out", site, "--database", database)
    noted = site / ".analyses"
    wait_until(lambda: noted.exists() and noted.read_text().count("\n") > 1)
    assert killed.end(signal.SIGKILL).status == -signal.SIGKILL
    assert manifest_of(site) == before
    for digests in matches_of(site).values():
        assert document(site, digests[1])["over"]
    done = publish("--json").document
    assert done["analyses"] == 3 + LONG
    assert 0 < done["computed"] < LONG
    assert not noted.exists()
