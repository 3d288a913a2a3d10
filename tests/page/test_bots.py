"""The bots to copy: both play a match on a real server as the page shows them."""

import re
import shutil
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from evilpegs_server.site.page import PAGE_FOLDER
from support.patience import PATIENCE
from support.requirements import fail_or_skip, require

OVER = "area => [area.scrollWidth - area.clientWidth, area.scrollHeight - area.clientHeight]"
WRITTEN = "ws://127.0.0.1:8765/v1"


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def node_command():
    """Return how node runs a script with a WebSocket; before version 22 it needs an option for that."""
    node = shutil.which("node")
    require(node, "the JavaScript bot needs node; on Debian: apt install nodejs")
    for options in ([], ["--experimental-websocket"]):
        if run([node, *options, "-e", "process.exit(typeof WebSocket === 'function' ? 0 : 1)"]).returncode == 0:
            return [node, *options]
    return fail_or_skip("the JavaScript bot needs a node with WebSocket: version 20.10 or later")


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_bot_to_copy_plays_match(server, tmp_path, language):
    text = (PAGE_FOLDER / f"bots/{language}.txt").read_text()
    assert text.count(WRITTEN) == 1
    assert len(text.splitlines()) <= 20
    script = tmp_path / {"python": "bot.py", "javascript": "bot.mjs"}[language]
    script.write_text(text.replace(WRITTEN, server.url))
    result = run([*({"python": lambda: [sys.executable], "javascript": node_command}[language]()), str(script)])
    assert result.returncode == 0, result.stderr
    outcome, _, guesses, _ = result.stdout.split()
    assert outcome in {"solved", "unsolved"}
    assert 1 <= int(guesses) <= 10


@pytest.mark.full
def test_page_fills_in_address_and_its_javascript_runs(open_view, server):
    page = open_view("#/bots", viewport={"width": 360, "height": 740})
    for field in ("Python", "JavaScript"):
        area = page.get_by_label(field)
        expect(area).to_have_value(re.compile(re.escape(server.url)))
        text = area.input_value()
        assert server.url == WRITTEN or WRITTEN not in text
        assert area.evaluate(OVER) == [0, 0]  # it fits a phone
    expect(page.get_by_label("With evilpegs installed")).to_have_value(re.compile(re.escape(server.url)))
    with page.expect_console_message(lambda message: "guesses" in message.text):
        page.evaluate(f"() => {{ {text} }}")
