"""A worker process computes what a workspace in this process computes, and its death costs only time."""

import asyncio
import errno
import inspect
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from threading import Lock, Thread

import pytest
import structlog
from structlog.testing import LogCapture

from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.errors import ContradictionError
from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules
from evilpegs_server.work import worker_process
from evilpegs_server.work.child_process import pack, receive_messages, unpack_messages
from evilpegs_server.work.priority import OOM_SCORE
from evilpegs_server.work.tasks import CountParts, FindDevilReplies, FindWitness
from evilpegs_server.work.worker import NICENESS, serve_tasks
from evilpegs_server.work.worker_process import MAX_DEATHS, WorkerLostError, WorkerProcess
from evilpegs_server.work.workspace import WorkerSetup
from support.patience import PATIENCE
from support.waiting import loop_turns, until
from support.workspaces import Call, Gated, new_workspace

TESTS = Path(__file__).parents[2]
BYTES = 64 << 20
SETUP = WorkerSetup(BYTES, BYTES, SolvedPositions().to_bytes())
GRAND = Rules(6, 10)
HISTORY = (((0, 0, 1, 1, 2, 2), Feedback(1, 1)),)
DEVIL = FindDevilReplies(Rules(4, 6), 1296, (), (0, 0, 1, 1))
SIZES = CountParts(GRAND, HISTORY, (0, 1, 2, 3, 4, 5))
QUICK = Call(divmod, 9, 7)
"""A task that needs no kernels, which a process needs a second to load."""


@pytest.fixture
def logs():
    return LogCapture()


@pytest.fixture
async def new_process(logs, monkeypatch):
    """Return a function that makes processes that can import the tasks of tests."""
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    processes = []

    def new(export_seconds=PATIENCE):
        processes.append(WorkerProcess(SETUP, structlog.wrap_logger(None, processors=[logs]), export_seconds))
        return processes[-1]

    yield new
    for process in processes:
        await process.close()


@pytest.fixture
def process(new_process):
    return new_process()


async def kill(process):
    """Kill the process and wait until its owner has noticed."""
    pid = process.pid
    os.kill(pid, signal.SIGKILL)
    await until(lambda: process.pid != pid)


@pytest.mark.full
async def test_process_finds_same_results_and_reports_state(process):
    for task in (SIZES, FindWitness(GRAND, HISTORY), DEVIL):
        assert await process.run(task) == task.run(new_workspace()).value
    assert process.state.part_sizes.entries > 0
    assert process.state.solved > 0


async def test_process_begins_with_start_or_task(process):
    assert process.pid is None
    process.start()
    assert await process.run(Call(os.getpid)) == process.pid != os.getpid()
    pid = process.pid
    process.start()
    assert process.pid == pid


async def test_process_does_many_tasks_at_once(process):
    answers = await asyncio.gather(*(process.run(Call(divmod, number, 7)) for number in range(200)))
    assert answers == [divmod(number, 7) for number in range(200)]


@pytest.mark.full
async def test_task_error_is_raised_with_its_origin(process, logs):
    with pytest.raises(ZeroDivisionError) as caught:
        await process.run(Call(divmod, 1, 0))
    assert inspect.getfile(Call) in caught.value.__notes__[0]
    with pytest.raises(ContradictionError, match="6x10"):
        await process.run(FindWitness(GRAND, (((0,) * 6, Feedback(6, 0)), ((1,) * 6, Feedback(1, 0)))))
    assert logs.entries == []


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these files")
async def test_process_is_nice_and_expendable(process):
    await process.run(Call(os.getpid))
    assert os.getpriority(os.PRIO_PROCESS, process.pid) == min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)
    with open(f"/proc/{process.pid}/oom_score_adj") as file:  # noqa: ASYNC230, PTH123 - no disk behind it
        assert int(file.read()) >= OOM_SCORE
    assert os.getpgid(process.pid) != os.getpgid(0)


async def test_running_task_is_redone_after_death(process, logs, tmp_path):
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    waiting = asyncio.create_task(process.run(Call(Path.read_text, gate)))
    await process.run(Call(os.getpid))
    await kill(process)
    assert await process.run(QUICK) == (1, 2)
    with gate.open("w") as writer:
        writer.write("done")
    assert await waiting == "done"
    assert [(entry["log_level"], entry["tasks"]) for entry in logs.entries] == [("warning", 1)]


@pytest.mark.full
async def test_idle_process_that_died_is_replaced(process):
    first = await process.run(Call(os.getpid))
    await kill(process)
    await until(lambda: process.pid)
    assert await process.run(Call(os.getpid)) == process.pid != first


@pytest.mark.full
async def test_deadly_task_is_given_up_alone(process, logs):
    deadly = asyncio.create_task(process.run(Call(signal.raise_signal, signal.SIGKILL)))
    with pytest.raises(WorkerLostError):
        await deadly
    assert len(logs.entries) == MAX_DEATHS
    assert await process.run(QUICK) == (1, 2)


@pytest.mark.full
async def test_tasks_beside_deadly_one_survive(process, logs, tmp_path):
    """These tasks were running when the first process died and are then done one after another."""
    gate = tmp_path / "gate"
    others = [asyncio.create_task(process.run(Gated(QUICK, gate))) for _ in range(3)]
    deadly = asyncio.create_task(process.run(Call(signal.raise_signal, signal.SIGKILL)))
    await until(lambda: logs.entries)
    gate.touch()
    with pytest.raises(WorkerLostError):
        await deadly
    assert await asyncio.gather(*others) == [(1, 2)] * 3
    assert len(logs.entries) == MAX_DEATHS


@pytest.mark.full
async def test_task_fails_when_no_process_can_be_started(process, logs, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", fail)
        with pytest.raises(WorkerLostError, match=os.strerror(errno.ENOMEM)):
            await process.run(QUICK)
    assert len(logs.entries) == MAX_DEATHS
    assert all(os.strerror(errno.ENOMEM) in entry["why"] for entry in logs.entries)
    assert await process.run(QUICK) == (1, 2)


@pytest.mark.full
async def test_close_returns_learned_positions(process):
    await process.run(DEVIL)
    pid, learned = process.pid, await process.close()
    assert len(SolvedPositions.from_bytes(learned)) == process.state.solved > 0
    assert process.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.full
async def test_setup_passes_learned_positions(process, logs):
    await process.run(DEVIL)
    learned = await process.close()
    again = WorkerProcess(WorkerSetup(BYTES, BYTES, learned), structlog.wrap_logger(None, processors=[logs]), PATIENCE)
    await again.run(DEVIL)
    assert await again.close() is None


@pytest.mark.full
async def test_close_kills_process_that_hangs(new_process, tmp_path, logs):
    process = new_process(export_seconds=0.01)
    os.mkfifo(tmp_path / "gate")
    await process.run(Call(os.getpid))
    forgotten = asyncio.create_task(process.run(Call(Path.read_text, tmp_path / "gate")))
    await loop_turns()
    pid = process.pid
    os.kill(pid, signal.SIGSTOP)
    assert await process.close() is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert [(entry["log_level"], "tasks" in entry) for entry in logs.entries] == [("warning", False)]
    process.submit(SIZES, print)
    assert process.pid is None
    forgotten.cancel()


@pytest.mark.full
async def test_close_survives_deaths_of_the_export(process, logs, monkeypatch):
    await process.run(Call(os.getpid))
    monkeypatch.setattr(worker_process, "ExportSolved", lambda: Call(signal.raise_signal, signal.SIGKILL))
    assert await process.close() is None
    assert process.pid is None
    process.submit(SIZES, print)
    assert process.pid is None
    assert len(logs.entries) == MAX_DEATHS + 1


@pytest.mark.full
async def test_failing_callback_of_deadly_task_harms_no_other(process):
    """Its error goes to the loop's handler, and the process that died is replaced."""
    reported = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: reported.append(context["exception"]))

    def fail(_outcome, _cost):
        raise LookupError

    process.submit(Call(signal.raise_signal, signal.SIGKILL), fail)
    assert await process.run(QUICK) == (1, 2)
    assert [type(error) for error in reported] == [LookupError]


async def test_close_ends_unused_process(process):
    process.start()
    assert await process.close() is None
    assert process.pid is None


def test_messages_survive_any_split():
    messages, received, found = [(1, SIZES), "x" * 100_000, None], bytearray(), []
    for start in range(0, len(sent := b"".join(map(pack, messages))), 777):
        received += sent[start : start + 777]
        found += unpack_messages(received)
    assert (found, received) == (messages, b"")


def raise_unsendable():
    error = ValueError("here")
    error.lock = Lock()
    raise error


def test_serve_ends_without_setup():
    ours, theirs = socket.socketpair()
    ours.close()
    with theirs:
        serve_tasks(theirs)


def test_serve_replaces_unsendable_error_and_ends():
    ours, theirs = socket.socketpair()
    thread = Thread(target=serve_tasks, args=[theirs])
    thread.start()
    with theirs:
        with ours:
            ours.sendall(pack(SETUP) + pack((1, Call(raise_unsendable))))
            number, outcome, cost, _ = next(receive_messages(ours))
            ours.sendall(pack((2, SIZES))[:-1])
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert (number, type(outcome), cost) == (1, RuntimeError, 0)
    assert "raise_unsendable" in outcome.__notes__[0]
