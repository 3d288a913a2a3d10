"""A process that works for the server steps behind it, and says when the system does not let it."""

import ctypes
import platform
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from evilpegs_server.work.priority import OOM_SCORE, SLICE_NS

SCHED_GETATTR = {"x86_64": 315, "aarch64": 275}
STEP_BACK = """
import sys
from evilpegs_server.work.priority import lower_priority
lower_priority(int(sys.argv[1]))
print(flush=True)
sys.stdin.read()
"""
REFUSED = "priority._SCHED_SETATTR = dict.fromkeys(priority._SCHED_SETATTR, 9999)"
RELEASE = tuple(int(number) for number in platform.release().split("-")[0].split(".")[:2] if number.isdigit())

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such files and calls")


@pytest.fixture(name="process")
def fixture_process():
    """A process that has stepped back by 7."""
    with subprocess.Popen(
        [sys.executable, "-c", STEP_BACK, "7"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        yield process
        process.stdin.close()


def scheduling(pid):
    """Return what Linux says of a process: its policy, niceness, and slice in ns."""
    answer = ctypes.create_string_buffer(48)
    assert ctypes.CDLL(None).syscall(SCHED_GETATTR[platform.machine()], pid, answer, 48, 0) == 0
    _, policy, _, niceness, _, slice_ns, _, _ = struct.unpack("=IIQiIQQQ", answer.raw)
    return policy, niceness, slice_ns


@pytest.mark.skipif(platform.machine() not in SCHED_GETATTR, reason="the number of the call is not known")
def test_process_is_nice_expendable_and_precedes_nobody(process):
    policy, niceness, slice_ns = scheduling(process.pid)
    own_policy, own_niceness, own_slice = scheduling(0)
    assert (policy, niceness) == (own_policy, min(19, own_niceness + 7))
    if RELEASE >= (6, 12):
        assert slice_ns == SLICE_NS > own_slice
    assert int(Path(f"/proc/{process.pid}/oom_score_adj").read_text()) >= OOM_SCORE


def test_system_that_refuses_leaves_the_process_running():
    """As in a container whose filter forbids the call: with a number that no call has."""
    program = f"from evilpegs_server.work import priority\n{REFUSED}\n{STEP_BACK}"
    done = subprocess.run([sys.executable, "-c", program, "0"], check=True, input=b"", capture_output=True)
    assert (done.stdout, done.stderr) == (b"\n", b"")
