"""The examples play against a real server, each in a process of its own."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import structlog
from structlog.stdlib import BoundLogger

from evilpegs_server.server import running_server
from evilpegs_server.settings import Settings

EXAMPLES = Path(__file__).parents[2] / "examples"
OWN_WEBSOCKET = 22
"""The first version of Node with a WebSocket of its own."""


def drop(logger, method, event):
    raise structlog.DropEvent


async def played(tmp_path, *command):
    """Run a program against a real server and return what it prints."""
    settings = Settings(site=False, host="127.0.0.1", port=0, database=f"sqlite:///{tmp_path / 'evilpegs.sqlite3'}")
    log = structlog.wrap_logger(None, processors=[drop], wrapper_class=BoundLogger)
    async with running_server(settings, log) as server:
        pipes = {"stdout": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.STDOUT}
        program = await asyncio.create_subprocess_exec(*command, server.url, **pipes)
        async with asyncio.timeout(60):
            printed, _ = await program.communicate()
    assert program.returncode == 0, printed.decode()
    return printed.decode()


def missing(reason):
    """Skip the test; in CI, where nothing may be missing, fail it."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def node(tmp_path):
    """Node, and the JavaScript example in a folder with its library."""
    program = shutil.which("node")
    if program is None:
        missing("the JavaScript example needs node")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    folder = tmp_path / "examples"
    folder.mkdir()
    for name in ("minimal_bot.js", "package.json", "package-lock.json"):
        shutil.copy(EXAMPLES / name, folder)
    if int(version.removeprefix("v").split(".")[0]) < OWN_WEBSOCKET:
        install(folder)
    return program, folder / "minimal_bot.js"


def install(folder):
    """Copy the library that `npm install` put beside the example, or install it."""
    if (EXAMPLES / "node_modules").is_dir():
        shutil.copytree(EXAMPLES / "node_modules", folder / "node_modules")
        return
    npm = shutil.which("npm")
    command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    if npm is None or subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False).returncode:
        missing("the JavaScript example needs the ws library: npm could not install it")


SOLVED = re.compile(r"[^\d\n]*\bsolved\b[^\d\n]*\b\d\b[^\d\n]*\b[1-6]{4}\n")
"""One line with the outcome, the number of guesses and the secret."""


async def test_python_example_solves_game(tmp_path):
    assert SOLVED.fullmatch(await played(tmp_path, sys.executable, str(EXAMPLES / "minimal_bot.py")))


async def test_javascript_example_solves_game(tmp_path, node):
    assert SOLVED.fullmatch(await played(tmp_path, *map(str, node)))


@pytest.mark.parametrize("name", ["package.json", "package-lock.json"])
def test_javascript_packages_have_no_addresses(name):
    assert "://" not in (EXAMPLES / name).read_text()
