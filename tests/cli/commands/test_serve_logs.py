"""The log on standard error."""

import io
import json
import logging
import re
import sys

import pytest

from evilpegs.kit.logs import configure_logging


@pytest.fixture(autouse=True)
def logging_as_it_was():
    root, ours = logging.getLogger(), logging.getLogger("evilpegs")
    handlers, levels = root.handlers[:], (root.level, ours.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])


class Terminal(io.StringIO):
    def isatty(self):
        return True


def secretive():
    secret = "6543"  # noqa: F841 - a traceback with local variables would show it
    message = "it broke"
    raise ValueError(message)


def log_all(log):
    log.debug("not seen")
    log.info("listening", port=1)
    try:
        secretive()
    except ValueError:
        log.exception("failed")
    logging.getLogger("websockets.server").error("opening handshake failed")
    logging.getLogger("websockets.server").info("server listening")
    logging.getLogger("asyncio").error("task failed")


def test_log_writes_json_lines(capsys):
    log_all(configure_logging("info"))
    listening, failed, task = map(json.loads, capsys.readouterr().err.splitlines())
    assert (listening["event"], listening["level"], listening["port"]) == ("listening", "info", 1)
    assert "ValueError: it broke" in failed["exception"]
    assert "6543" not in failed["exception"].replace('secret = "6543"', "")
    assert task["event"] == "task failed"


def test_log_on_terminal_is_for_people(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.delenv("NO_COLOR", raising=False)
    log_all(configure_logging("info"))
    text = terminal.getvalue()
    assert "listening" in text
    assert "ValueError: it broke" in text
    assert text.count("6543") == 0
    assert "opening handshake" not in text
    assert "\x1b" in text


def test_log_text_is_plain_away_from_terminal(capsys):
    log = configure_logging("info", "text")
    log.info("listening", host="127.0.0.1", path="/\x1b]0;title\x07")
    line = capsys.readouterr().err
    assert re.fullmatch(r"\d\d:\d\d:\d\d \[info\] listening\b.*\bhost=127\.0\.0\.1\b.*\n", line)
    assert "\x1b" not in line


def test_log_json_is_the_same_on_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    configure_logging("info", "json").info("listening", port=1)
    assert json.loads(terminal.getvalue())["port"] == 1


def test_log_on_terminal_has_no_colors_if_refused(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    configure_logging("info").info("listening")
    assert "listening" in terminal.getvalue()
    assert "\x1b" not in terminal.getvalue()


def test_log_level_hides_lower_levels(capsys):
    configure_logging("warning").info("not seen")
    assert capsys.readouterr().err == ""
