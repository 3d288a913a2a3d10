"""The settings of all tests, and the list of those that only `make test-all` runs."""

import contextlib
import os
import shutil
import signal
import tempfile
from pathlib import Path

import coverage
import numba
import pytest
from hypothesis import settings

from evilpegs_game import kernels
from support import closed_databases

TESTS = Path(__file__).parent
MEMORY = Path("/dev/shm")
MEMORY_BYTES = 2_000_000_000
"""More than the files of all tests need."""
FULL = (
    "abuse",
    "cli/commands/test_demo.py",
    "cli/commands/test_feed.py",
    "cli/commands/test_serve.py",
    "cli/commands/test_token_from.py",
    "cli/test_json_page.py",
    "compatibility",
    "docs/test_contest.py",
    "docs/test_documents.py",
    "examples",
    "game/test_kernels.py",
    "integration",
    "repository/test_bench.py",
    "repository/test_container.py",
    "repository/test_flaky.py",
    "server/feed/test_feed_client.py",
    "server/feed/test_feed_leaderboard.py",
    "server/feed/test_feed_secrets.py",
    "server/feed/test_refusals.py",
    "statistics",
)
"""The tests that only `make test-all` runs: kills, attacks, commands in processes of their own, every document."""

# No test asserts a time, so no example has a deadline. Of nine planted faults six were found, by 36 examples at most;
# 200 found no more. As plain Python the slow kernels get fewer.
settings.register_profile("few", deadline=None, max_examples=20 if numba.config.DISABLE_JIT else 25)
settings.register_profile("many", deadline=None, max_examples=20 if numba.config.DISABLE_JIT else 40)
settings.load_profile("few")


def pytest_configure(config):
    if hasattr(config, "workerinput"):
        # Linux shares the processors among sessions, so the patient processes of a server that one worker tests need
        # not wait until the others have nothing to do.
        os.setsid()
    closed_databases.watch()
    # Tests compare what commands print, also the first after a change of the game.
    kernels.SILENT_SECONDS = float("inf")
    # A shell ignores SIGINT for what it starts in the background, and nohup SIGHUP; children inherit both.
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
    # The databases of most tests need not outlive a power cut, so their commits need not wait for a disk.
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > MEMORY_BYTES:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_keyboard_interrupt():
    # a terminal interrupts its own session only, so the workers and their servers hear of it here
    for children in Path("/proc/self/task").glob("*/children"):
        for process in children.read_text().split():
            with contextlib.suppress(OSError):
                os.killpg(int(process), signal.SIGINT)


def is_full(path):
    return path.is_relative_to(TESTS) and path.relative_to(TESTS).as_posix().startswith(FULL)


def pytest_ignore_collect(collection_path, config):
    # `make test` need not import what it does not run
    return True if is_full(collection_path) and config.option.markexpr.startswith("not full") else None


def pytest_collection_modifyitems(items):
    for item in items:
        if is_full(item.path):
            item.add_marker(pytest.mark.full)


@pytest.fixture
def on_disk():
    """A folder that is not in memory, for tests of storage and of what a kill leaves."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder).resolve()


@pytest.fixture(scope="module")
def measured_children():
    """Measure the coverage of child processes while that of the tests is measured."""
    root = TESTS.parent
    with pytest.MonkeyPatch.context() as patch:
        if coverage.Coverage.current() is not None:
            patch.setenv("COVERAGE_PROCESS_START", str(root / "pyproject.toml"))
            patch.setenv("COVERAGE_FILE", str(root / ".coverage"))
        yield


@pytest.fixture
def keyboard():
    """A person at a real terminal."""
    from support.keyboard import Keyboard

    keyboard = Keyboard()
    yield keyboard
    keyboard.close()


@pytest.fixture(scope="session")
def postgres_cluster():
    """A PostgreSQL server of this test process; without the programs the test is skipped, or fails in CI."""
    from support.postgres import Cluster

    # the path of a socket has at most 107 bytes, and PostgreSQL runs as another user than root; in memory, because
    # a database has 300 files, which some disks need seconds to delete
    has_memory = "PYTEST_DEBUG_TEMPROOT" in os.environ
    folder = Path(tempfile.mkdtemp(prefix="evilpegs-postgres-", dir=MEMORY if has_memory else "/tmp"))
    folder.chmod(0o755)
    cluster = Cluster(folder)
    yield cluster
    cluster.stop("immediate")
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres_tables(postgres_cluster):
    """Databases with the tables, each emptied after the test that it was lent to."""
    from support.postgres import Tables

    return Tables(postgres_cluster)


@pytest.fixture
def postgres_url(postgres_tables):
    """An empty database with the tables."""
    with postgres_tables.database() as url:
        yield url
