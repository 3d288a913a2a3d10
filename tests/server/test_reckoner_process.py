"""The process that computes: it does what a reckoner does, and its death costs no more than time."""

import asyncio
import os
import signal
import socket
import sys
import time
from pathlib import Path
from threading import Lock, Thread

import pytest
import structlog
from structlog.testing import LogCapture

from evilpegs_game.errors import ContradictionError
from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules
from evilpegs_game.solved import SolvedPositions
from evilpegs_server import reckoner_process
from evilpegs_server.reckoner_frames import Setup, packed, read, unpacked
from evilpegs_server.reckoner_main import EXPENDABLE, NICENESS, serve
from evilpegs_server.reckoner_process import MOST_DEATHS, ReckonerLostError, ReckonerProcess
from evilpegs_server.tasks import DevilsChoice, PartSizes, Witness
from support.reckoners import Call, reckoner

TESTS = Path(__file__).parents[1]
SETUP = Setup(64 << 20, 64 << 20, SolvedPositions().to_bytes())
GRAND = Rules(6, 10)
HISTORY = (((0, 0, 1, 1, 2, 2), Feedback(1, 1)),)
DEVIL = DevilsChoice(Rules(4, 6), 1296, (), (0, 0, 1, 1))
SIZES = PartSizes(GRAND, HISTORY, (0, 1, 2, 3, 4, 5))


@pytest.fixture
def logs():
    return LogCapture()


@pytest.fixture
async def process(logs, monkeypatch):
    """A process that knows the tasks of tests too."""
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    process = ReckonerProcess(SETUP, structlog.wrap_logger(None, processors=[logs]))
    yield process
    await process.close()


async def died(process):
    """Kill the process, and wait until it was noticed."""
    pid = process.pid
    os.kill(pid, signal.SIGKILL)
    async with asyncio.timeout(20):
        while process.pid == pid:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.001)


async def test_it_finds_what_is_found_here_and_tells_its_state(process):
    for task in (SIZES, Witness(GRAND, HISTORY), DEVIL):
        assert await process.do(task) == task.do(reckoner()).value
    assert process.state.part_sizes.entries > 0
    assert process.state.solved > 0


async def test_it_begins_with_the_first_task_or_before(process):
    assert process.pid is None
    process.start()
    pid = process.pid
    assert await process.do(Call(os.getpid)) == pid != os.getpid()
    process.start()
    assert process.pid == pid


async def test_it_does_many_things_at_once(process):
    answers = await asyncio.gather(*(process.do(Call(divmod, number, 7)) for number in range(200)))
    assert answers == [divmod(number, 7) for number in range(200)]


async def test_an_error_is_handed_over_and_says_where_it_was_raised(process, logs):
    with pytest.raises(ZeroDivisionError) as caught:
        await process.do(Call(divmod, 1, 0))
    assert "in attempt" in caught.value.__notes__[0]
    with pytest.raises(ContradictionError, match="no code of 6x10"):
        await process.do(Witness(GRAND, (((0,) * 6, Feedback(6, 0)), ((1,) * 6, Feedback(1, 0)))))
    assert logs.entries == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these files")
async def test_it_stands_back_behind_the_server_and_goes_first_when_memory_is_short(process):
    await process.do(Call(os.getpid))
    assert os.getpriority(os.PRIO_PROCESS, process.pid) == min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)
    with open(f"/proc/{process.pid}/oom_score_adj") as file:  # noqa: ASYNC230, PTH123 - no disk behind it
        assert int(file.read()) >= EXPENDABLE
    assert os.getpgid(process.pid) != os.getpgid(0)


async def test_what_is_under_way_when_it_dies_is_done_by_another(process, logs, tmp_path):
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    waiting = asyncio.create_task(process.do(Call(Path.read_text, gate)))
    await process.do(Call(os.getpid))
    await died(process)
    later = asyncio.create_task(process.do(SIZES))
    assert await later == SIZES.do(reckoner()).value
    with gate.open("w") as writer:
        writer.write("done")
    assert await waiting == "done"
    assert [(entry["event"].partition(";")[0], entry["tasks"]) for entry in logs.entries] == [
        ("the process that computes replies died", 1)
    ]


async def test_one_that_dies_with_nothing_to_do_is_begun_again_with_the_next_task(process):
    first = await process.do(Call(os.getpid))
    await died(process)
    assert process.pid is None
    assert await process.do(Call(os.getpid)) != first


async def test_a_task_with_which_every_process_dies_is_given_up_and_no_other(process, logs):
    deadly = asyncio.create_task(process.do(Call(os._exit, 3)))
    with pytest.raises(ReckonerLostError):
        await deadly
    assert len(logs.entries) == MOST_DEATHS
    assert await process.do(SIZES) == SIZES.do(reckoner()).value


async def test_tasks_beside_a_deadly_one_are_not_given_up_with_it(process, logs):
    """They were under way when the first process died, and are done one after another from then on."""
    others = [asyncio.create_task(process.do(Call(time.sleep, 0.1))) for _ in range(3)]
    with pytest.raises(ReckonerLostError):
        await process.do(Call(os._exit, 3))
    assert await asyncio.gather(*others) == [None] * 3
    assert len(logs.entries) == MOST_DEATHS


async def test_where_no_process_can_be_begun_a_task_ends_with_the_error(process, logs, monkeypatch):
    def fail(*_, **__):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(reckoner_process.subprocess, "Popen", fail)
    with pytest.raises(OSError, match="Cannot allocate memory"):
        await process.do(SIZES)
    monkeypatch.undo()
    assert [entry["why"] for entry in logs.entries] == ["Cannot allocate memory"]


async def test_in_the_end_it_tells_what_devils_have_learnt_and_is_gone(process):
    await process.do(DEVIL)
    pid, learnt = process.pid, await process.close()
    assert len(SolvedPositions.from_bytes(learnt)) == process.state.solved > 0
    assert process.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_what_was_learnt_before_is_known_to_it(process, logs):
    await process.do(DEVIL)
    learnt = await process.close()
    again = ReckonerProcess(SETUP._replace(solved=learnt), structlog.wrap_logger(None, processors=[logs]))
    await again.do(DEVIL)
    assert await again.close() is None


async def test_it_is_ended_whatever_it_is_at_and_is_asked_nothing_more(process, tmp_path, monkeypatch, logs):
    monkeypatch.setattr(reckoner_process, "STOP_SECONDS", 0.01)
    os.mkfifo(tmp_path / "gate")
    await process.do(Call(os.getpid))
    forgotten = asyncio.create_task(process.do(Call(Path.read_text, tmp_path / "gate")))
    await asyncio.sleep(0)
    pid = process.pid
    os.kill(pid, signal.SIGSTOP)
    assert await process.close() is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert [entry["event"] for entry in logs.entries] == ["what devils have solved could not be asked for in time"]
    process.begin(SIZES, print)
    assert process.pid is None
    forgotten.cancel()


async def test_one_that_has_done_nothing_is_ended_at_once(process):
    process.start()
    assert await process.close() is None
    assert process.pid is None


def test_frames_are_taken_apart_wherever_they_were_cut():
    messages, received, told = [(1, SIZES), "x" * 100_000, None], bytearray(), []
    for start in range(0, len(sent := b"".join(map(packed, messages))), 777):
        received += sent[start : start + 777]
        told += unpacked(received)
    assert (told, received) == (messages, b"")


def raise_unsendable():
    error = ValueError("here")
    error.lock = Lock()
    raise error


def test_it_ends_with_its_server_and_makes_an_error_that_cannot_be_sent_one_that_can():
    ours, theirs = socket.socketpair()
    ended = []

    def run():
        with pytest.raises(EOFError):
            serve(theirs, theirs.makefile("rb"))
        ended.append(True)

    thread = Thread(target=run)
    thread.start()
    with theirs:
        with ours, ours.makefile("rb") as frames:
            ours.sendall(packed(SETUP) + packed((1, Call(raise_unsendable))))
            number, outcome, cost, _ = read(frames)
            ours.sendall(packed((2, SIZES))[:-1])
        thread.join(20)
    assert (number, type(outcome), cost, ended) == (1, RuntimeError, 0, [True])
    assert "raise_unsendable" in outcome.__notes__[0]
