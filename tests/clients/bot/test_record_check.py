"""A bot compares what it received with the record that the server hands out, and checks the server's signature."""

import hashlib
import json
import sys

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from evilpegs_clients.bot.bot import play_matches
from evilpegs_clients.connection.session import KeyChanged, key_change_line
from evilpegs_clients.connection.tokens import ServerKeyFile
from evilpegs_clients.strategies.consistent import FirstConsistent
from evilpegs_clients.verification.verify import compare_records
from evilpegs_clients.verification.violation import Subject
from evilpegs_protocol.record import format_bytes, signed_statement


class Key:
    """A key pair that follows from a name."""

    def __init__(self, name):
        self.private = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(name.encode()).digest())
        self.public = format_bytes(self.private.public_key().public_bytes_raw())

    def sign(self, over):
        return over | {"signature": format_bytes(self.private.sign(signed_statement(over)))}


OURS, THEIRS = Key("ours"), Key("theirs")


@pytest.fixture
def signing_server(tiny_server, honest_match):
    """Make a tiny server that names the key ``named`` and signs with ``key``, or not at all."""

    def make(named=OURS, key=OURS, **kind):
        class SignedMatch(honest_match):
            def _finish(self):
                super()._finish()
                if key is not None:
                    self.events[-1] = key.sign(self.events[-1])

        server = tiny_server(SignedMatch, **kind)
        name_key(server, named)
        return server

    return make


def name_key(server, key):
    """Let a tiny server name this key in `welcome` from now on."""

    def cheat(message):
        if message["type"] == "welcome" and key is not None:
            message["server"] = message["server"] | {"key": key.public}
        return message

    server.cheat = cheat


@pytest.fixture
def play(tokens, retry_policy, listen):
    """Run a bot against a tiny server."""

    async def run(server, **options):
        options = {"name": "ann", "matches": 1} | options
        async with listen(server.converse) as url:
            return await play_matches(
                server=url,
                ladder="tiny",
                strategy=FirstConsistent(),
                seed=1,
                token_file=tokens.path,
                retry_policy=retry_policy,
                **options,
            )

    return run


def found(summary):
    return [(violation.subject, violation.game) for match in summary.matches for violation in match.violations]


def unchecked(summary):
    return [remark.subject for match in summary.matches for remark in match.not_checked]


# The record that the server hands out


async def test_bot_fetches_record_after_each_match(tiny_server, play):
    server = tiny_server(games=2)
    summary = await play(server, matches=2)
    assert (summary.verified, unchecked(summary)) == (True, [])
    assert [(request["match"], request["seq"]) for request in server.sent("resume")] == [
        (match.match, 0) for match in summary.matches
    ]


def other_story(server, change):
    """Let a tiny server change the events that it sends again at the end, as lines of a record."""

    def fault(request):
        if request["type"] != "resume":
            return None
        resumed, *events = server.answer(request)
        events = change(json.loads(json.dumps(events)))
        return [resumed | {"seq": len(events)}, *events]

    server.fault = fault


def with_other_code(events):
    place = next(place for place, event in enumerate(events) if event["type"] == "feedback")
    events[place]["white"] += 1
    return events


@pytest.mark.parametrize(
    "change",
    [with_other_code, lambda events: events[:-1], lambda events: [*events[:-1], events[-1] | {"at": 5}]],
    ids=["other feedback", "lost end", "other time"],
)
async def test_other_record_is_violation(tiny_server, play, change):
    """The control is the same detour without a change."""
    server = tiny_server(games=2)
    other_story(server, change)
    summary = await play(server)
    assert (summary.verified, found(summary)) == (False, [(Subject.PLAYED, 0)])
    control = tiny_server(games=2)
    other_story(control, lambda events: events)
    assert (await play(control, name="bob")).verified


async def test_record_with_more_events_than_announced_is_violation(tiny_server, play):
    server = tiny_server()

    def fault(request):
        if request["type"] != "resume":
            return None
        resumed, *events = server.answer(request)
        return [resumed | {"seq": 1}, *events]

    server.fault = fault
    assert found(await play(server)) == [(Subject.PLAYED, 0)]


async def test_denied_match_is_violation(tiny_server, play):
    server = tiny_server()
    refusal = {"type": "error", "code": "not_your_match", "message": "no", "fatal": False}
    server.fault = lambda request: [refusal] if request["type"] == "resume" else None
    assert found(await play(server)) == [(Subject.PLAYED, 0)]


@pytest.mark.parametrize("answer", ["lose", "swallow", [{"type": "error", "code": "internal", "message": "no"}]])
async def test_record_that_cannot_be_fetched_is_not_checked(tiny_server, play, answer):
    server = tiny_server()
    server.fault = lambda request: answer if request["type"] == "resume" else None
    summary = await play(server)
    assert (summary.verified, found(summary), unchecked(summary)) == (True, [], [Subject.PLAYED])


async def test_next_match_follows_lost_connection(tiny_server, play):
    server = tiny_server()
    answers = iter(["lose"])
    server.fault = lambda request: next(answers, None) if request["type"] == "resume" else None
    summary = await play(server, matches=2)
    assert (summary.verified, unchecked(summary)) == (True, [Subject.PLAYED])
    assert [len(match.games) for match in summary.matches] == [1, 1]


def test_compare_records_names_first_difference():
    events = [{"seq": seq, "at": 1} for seq in (1, 2, 3)]
    assert compare_records(events, events) == []
    [violation] = compare_records(events, [events[0], {"seq": 2, "at": 2, "news": 0}, {}])
    assert violation.what.startswith("event 2 ")
    assert violation.what.endswith(" at, news")
    [violation] = compare_records(events, events[:2])
    assert {"3", "2"} <= set(violation.what.replace(",", "").split())


# The signature


async def test_signed_match_is_verified(signing_server, play):
    summary = await play(signing_server(games=2), matches=2)
    assert (summary.verified, found(summary), unchecked(summary)) == (True, [], [])


@pytest.mark.parametrize("key", [THEIRS, None], ids=["other key", "unsigned"])
async def test_match_without_signature_of_named_key_is_violation(signing_server, play, key):
    summary = await play(signing_server(key=key))
    assert (summary.verified, found(summary)) == (False, [(Subject.SIGNATURE, 0)])


@pytest.mark.parametrize("key", [OURS, None], ids=["signed", "unsigned"])
async def test_server_without_named_key_owes_no_signature(signing_server, play, key):
    summary = await play(signing_server(named=None, key=key))
    assert (summary.verified, unchecked(summary)) == (True, [])


async def test_signature_without_library_is_not_checked(signing_server, play, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    summary = await play(signing_server(key=THEIRS))
    assert (summary.verified, unchecked(summary)) == (True, [Subject.SIGNATURE])
    assert "'.[verify]'" in summary.matches[0].not_checked[0].what


# The key, trusted on first use


async def changes_at(server, listen, tokens, retry_policy, keys, name="ann"):
    """Log in once with each key at one address; return the changes that are reported."""
    events = []
    async with listen(server.converse) as url:
        for key in keys:
            name_key(server, key)
            await play_matches(
                server=url,
                ladder="tiny",
                strategy=FirstConsistent(),
                name=name,
                matches=0,
                token_file=tokens.path,
                on_event=events.append,
                retry_policy=retry_policy,
            )
    return [(event.former, event.key) for event in events if isinstance(event, KeyChanged)], url


async def test_changed_key_is_reported_once(tiny_server, listen, tokens, retry_policy):
    keys = [OURS, OURS, THEIRS, THEIRS, OURS]
    changes, url = await changes_at(tiny_server(), listen, tokens, retry_policy, keys)
    assert changes == [(OURS.public, THEIRS.public), (THEIRS.public, OURS.public)]
    assert ServerKeyFile.beside(tokens).get(url, "ann") == (OURS.public, THEIRS.public)
    assert ServerKeyFile.beside(tokens).path.stat().st_mode & 0o077 == 0


async def test_key_that_is_no_longer_named_is_reported(tiny_server, listen, tokens, retry_policy):
    changes, _ = await changes_at(tiny_server(), listen, tokens, retry_policy, [None, OURS, None])
    assert changes == [(OURS.public, None)]


async def test_key_of_guest_is_not_kept(tiny_server, listen, tokens, retry_policy):
    changes, _ = await changes_at(tiny_server(), listen, tokens, retry_policy, [OURS, THEIRS], name=None)
    assert (changes, ServerKeyFile.beside(tokens).path.exists()) == ([], False)


async def test_file_of_tokens_has_its_old_form(signing_server, play, tokens):
    """Earlier versions refuse a file of tokens with anything else in it."""
    await play(signing_server())
    [names] = json.loads(tokens.path.read_text()).values()
    assert list(names) == ["ann"]


@pytest.mark.parametrize("key", [None, THEIRS.public])
def test_line_about_changed_key_names_both(key):
    line = key_change_line(KeyChanged("ws://pegs.example/v1", OURS.public, key))
    assert "\n" not in line
    assert {"ws://pegs.example/v1", OURS.public} <= {word.strip(",;") for word in line.split()}
    assert key is None or key in line
