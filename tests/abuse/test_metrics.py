"""An operator who reads the metrics sees each attack and its kind: every attack moves its own counters and no others.

The metrics are computed when they are read, so an attack is visible as soon as a limit is met. The tests read them over
HTTP while the attack lasts or right after it. An honest client moves none of the counters, which is the control.
"""

import asyncio
import contextlib
from functools import partial

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from support.hostile_peer import CHUNKS, HELLO, TRUSTING, Peer
from support.patience import PATIENCE
from support.servers import dial
from support.waiting import until, wait_until

ATTACKED = ("evilpegs_limits_met_total", "evilpegs_connections_ended_total")


def read_counters(server):
    """Return the counters of attacks that are not zero, by the name of the limit or the reason.

    None can be read while all connections of the server or of this address are taken.
    """
    answer = httpx.get(f"http://{server.host}:{server.port}/metrics", timeout=PATIENCE)
    text = answer.text if answer.status_code == 200 else ""
    return {
        next(iter(sample.labels.values()))
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name in ATTACKED and sample.value
    }


async def noticed(server, expected):
    """Return the counters that have moved, as soon as all of ``expected`` have."""

    async def read():
        moved = await asyncio.to_thread(read_counters, server)
        return moved if expected <= moved else None

    return await until(read)


def flood(server, kind):
    with contextlib.suppress(OSError), Peer(server.url) as attacker:
        attacker.send(HELLO)
        while attacker.send(CHUNKS[kind]):
            pass


def send_wrong_tokens(server):
    """Send one wrong token more than are answered at once, and leave as soon as it is counted."""
    with contextlib.closing(Peer(server.url)) as attacker:
        for number in range(10):
            attacker.hello(token=f"{number:064x}")
        attacker.say(type="hello", client={"name": "crowd", "version": "1"}, token="f" * 64)
        wait_until(lambda: "failed_tokens_per_minute" in read_counters(server))


def crowd(server, *, polite=False):
    """Connect ten times from one address, and say hello each time if the crowd is polite."""
    with contextlib.ExitStack() as stack:
        for _ in range(10):
            attacker = stack.enter_context(contextlib.closing(Peer(server.url)))
            if polite and attacker.is_in:
                attacker.hello()


polite_crowd = partial(crowd, polite=True)


def claim_names(server):
    for number in range(4):
        with contextlib.closing(Peer(server.url)) as attacker:
            attacker.hello(name=f"squatter-{number}", kind="bot")


def stay_silent(server):
    """Connect twice, and wait until the second connection is cut off: on the reserve, or because of its address."""
    with contextlib.ExitStack() as stack:
        attackers = [stack.enter_context(contextlib.closing(Peer(server.url))) for _ in range(2)]
        attackers[1].hear()


def do_nothing(server):
    with contextlib.closing(Peer(server.url)) as attacker:
        attacker.hello()
        attacker.hear("error")


def read_nothing(server):
    """Ask for more than the server keeps for a client that reads nothing."""
    with contextlib.suppress(OSError), Peer(server.url, small=True) as attacker:
        while attacker.send(CHUNKS["long pings"]):
            pass


ATTACKS = {
    "ping flood": (flood, ("empty pings",), {}, {"requests_per_second", "frames"}),
    "message flood": (flood, ("messages",), {}, {"requests_per_second", "messages"}),
    "unread answers": (
        read_nothing,
        (),
        {"requests_per_second": 1_000_000},
        {"unsent"},
    ),
    "wrong tokens": (send_wrong_tokens, (), TRUSTING, {"failed_tokens_per_minute"}),
    "silent crowd": (
        stay_silent,
        (),
        TRUSTING | {"connections_before_hello": 1, "reserve_hello_seconds": 0.1},
        {"connections_before_hello", "no_hello"},
    ),
    "crowd of one address": (
        polite_crowd,
        (),
        TRUSTING | {"connections_per_address": 5},
        {"connections_per_address"},
    ),
    "crowd of guests": (
        polite_crowd,
        (),
        TRUSTING | {"max_connections": 12, "guest_seats_percent": 25},
        {"guest_seats_percent"},
    ),
    "crowd that takes all seats": (
        crowd,
        (),
        TRUSTING | {"max_connections": 5, "reserve_seats_percent": 0},
        {"max_connections"},
    ),
    "names": (claim_names, (), TRUSTING | {"new_names_per_hour": 3}, {"new_names_per_hour"}),
    "silence on the reserve": (
        stay_silent,
        (),
        # with a seat left for whoever reads the metrics
        TRUSTING | {"max_connections": 3, "reserve_seats_percent": 67, "reserve_hello_seconds": 0.1},
        {"no_hello"},
    ),
    "idle guest": (do_nothing, (), {"guest_idle_seconds": 0.1}, {"idle_guest"}),
}


SHORT = {"ping flood", "wrong tokens", "silent crowd"}
"""The attacks of the short form, because each start of a server takes a second."""


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[] if kind in SHORT else pytest.mark.abuse) for kind in ATTACKS]
)
async def test_attack_moves_its_own_counters(run_server, kind):
    attack, arguments, settings, expected = ATTACKS[kind]
    server = await run_server(**settings)
    attacking = asyncio.create_task(asyncio.to_thread(attack, server, *arguments))
    assert await noticed(server, expected) == expected
    await attacking
    assert await asyncio.to_thread(read_counters, server) == expected


async def test_honest_player_moves_no_counter_of_attacks(run_server):
    """The control of the tests above."""
    server = await run_server(**TRUSTING)
    async with dial(server.url) as raw:
        await raw.hello()
        match = await raw.play("classic-evil")
        await raw.guess(match, 1, 1, "1122")
        assert await asyncio.to_thread(read_counters, server) == set()
