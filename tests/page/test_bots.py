"""The bots to copy: both play a match on a real server as the page shows them."""

import shutil
import subprocess
import sys

import pytest

from evilpegs_server.site.page import PAGE_FOLDER
from support.patience import PATIENCE
from support.requirements import fail_or_skip, require

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
def test_page_fills_in_address(open_view, server):
    page = open_view("#/bots")
    for field in ("Python", "JavaScript"):
        text = page.get_by_label(field).input_value()
        assert server.url in text
        assert server.url == WRITTEN or WRITTEN not in text
    assert server.url in page.get_by_label("With evilpegs installed").input_value()


@pytest.mark.full
@pytest.mark.parametrize("field", ["Python", "JavaScript"])
def test_code_fits_phone(open_view, field):
    page = open_view("#/bots")
    page.set_viewport_size({"width": 360, "height": 740})
    text = page.get_by_label(field)
    text.wait_for()
    assert text.evaluate("area => [area.scrollWidth - area.clientWidth, area.scrollHeight - area.clientHeight]") == [
        0,
        0,
    ]


@pytest.mark.full
def test_javascript_bot_plays_in_console_of_page(open_view):
    page = open_view("#/bots")
    text = page.get_by_label("JavaScript").input_value()
    with page.expect_console_message(lambda message: "guesses" in message.text):
        page.evaluate(f"() => {{ {text} }}")
