"""Fixtures of programs that know nothing of evilpegs, and of those that a server hands out."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import websockets

from support.patience import PATIENCE
from support.requirements import fail_or_skip

EXAMPLES = Path(__file__).parents[2] / "examples"
FLAGGED_WEBSOCKET, OWN_WEBSOCKET = 20, 22
"""The first versions of Node with a WebSocket of its own, behind a flag and without one."""


@pytest.fixture
def node(tmp_path):
    """Node, and the JavaScript example in a folder with its library."""
    program = shutil.which("node")
    if program is None:
        fail_or_skip("the JavaScript example needs node")
    folder = tmp_path / "examples"
    folder.mkdir()
    for name in ("minimal_bot.js", "package.json", "package-lock.json"):
        shutil.copy(EXAMPLES / name, folder)
    if major_version(program) < OWN_WEBSOCKET:
        install(folder)
    return program, folder


def install(folder):
    """Copy the library that `npm install` put beside the example, or install it."""
    if (EXAMPLES / "node_modules").is_dir():
        shutil.copytree(EXAMPLES / "node_modules", folder / "node_modules")
        return
    npm = shutil.which("npm")
    command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    if (
        npm is None
        or subprocess.run(command, cwd=folder, capture_output=True, timeout=PATIENCE, check=False).returncode
    ):
        fail_or_skip("the JavaScript example needs the ws library: npm could not install it")


def major_version(program):
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return int(version.removeprefix("v").split(".")[0])


@pytest.fixture
def lone_node(request, tmp_path):
    """The command of a Node without packages; one that is too old has the WebSocket of a later one."""
    program = shutil.which("node")
    if program is None:
        fail_or_skip("the JavaScript bot needs node")
    version = major_version(program)
    if version >= OWN_WEBSOCKET:
        return [program]
    if version >= FLAGGED_WEBSOCKET:
        return [program, "--experimental-websocket", "--no-warnings"]
    _, folder = request.getfixturevalue("node")
    later = tmp_path / "later.cjs"
    later.write_text(f"globalThis.WebSocket = require({str(folder / 'node_modules/ws')!r}).WebSocket;\n")
    return [program, "--require", str(later)]


@pytest.fixture
def lone_python(tmp_path_factory, monkeypatch):
    """The command of a Python that has `websockets` and no other library."""
    folder = tmp_path_factory.mktemp("libraries")
    (folder / "websockets").symlink_to(Path(websockets.__file__).parent)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return [sys.executable, "-S"]
