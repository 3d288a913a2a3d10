"""The check after every test finds a thread that a test leaves behind, and only this."""

import threading

import pytest

from support import leftovers
from support.leftovers import threads_left


@pytest.fixture
def start_thread():
    """A function that starts a thread with a name; it ends with the test."""
    ending, threads = threading.Event(), []

    def start(name):
        threads.append(threading.Thread(target=ending.wait, name=name, daemon=True))
        threads[-1].start()

    yield start
    ending.set()
    for thread in threads:
        thread.join()


def test_thread_left_behind_is_named(start_thread):
    before = threading.enumerate()
    start_thread("keepalive")
    assert threads_left(before, patience=0) == ["keepalive"]


def test_thread_that_was_there_before_is_not_named(start_thread):
    start_thread("keepalive")
    assert threads_left(threading.enumerate(), patience=0) == []


def test_thread_that_is_about_to_end_is_waited_for():
    before, gate = threading.enumerate(), threading.Event()
    threading.Thread(target=gate.wait).start()
    gate.set()
    assert threads_left(before) == []


def test_threads_of_shared_server_are_allowed_while_it_runs(start_thread, monkeypatch):
    """The control: without the server they are named."""
    monkeypatch.setattr(leftovers, "SHARED_SERVER", "own server")  # the process may have a real one
    monkeypatch.setattr(leftovers, "OF_SHARED_SERVER", ("own server", "writer"))
    before = threading.enumerate()
    start_thread("writer")
    assert threads_left(before, patience=0) == ["writer"]
    start_thread("own server")
    assert threads_left(before, patience=0) == []
    start_thread("keepalive")
    assert threads_left(before, patience=0) == ["keepalive"]
