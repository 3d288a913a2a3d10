"""A plugin of pytest that prints the seconds of each file and of each fixture, also of tests that run side by side.

    python -m pytest -n 3 -p tools.seconds tests

A test counts with its fixtures, in the file that first asks for them; a fixture counts without those that it asks for.
"""

import time
from collections import Counter

import pytest

MOST = 40
"""Rows of each table."""
FIXTURE = "seconds of a fixture"


class Seconds:
    """What a process has measured; the one that reports has all."""

    def __init__(self):
        self.files, self.fixtures, self.tests, self.setups = Counter(), Counter(), Counter(), Counter()
        self.nested, self.item = [0.0], None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.item = item
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        self.nested.append(0.0)
        began = time.perf_counter()
        try:
            return (yield)
        finally:
            whole = time.perf_counter() - began
            own = whole - self.nested.pop()
            self.nested[-1] += whole
            self.item.user_properties.append((FIXTURE, [fixturedef.argname, own]))

    def pytest_runtest_logreport(self, report):
        file = report.nodeid.partition("::")[0]
        self.files[file] += report.duration
        self.tests[file] += report.when == "call"
        if report.when == "teardown":
            for name, value in report.user_properties:
                if name == FIXTURE:
                    self.fixtures[value[0]] += value[1]
                    self.setups[value[0]] += 1

    def pytest_terminal_summary(self, terminalreporter):
        for title, seconds, number in (("file", self.files, self.tests), ("fixture", self.fixtures, self.setups)):
            terminalreporter.write_line(f"\n seconds  number  {title}")
            for name, value in seconds.most_common(MOST):
                terminalreporter.write_line(f"{value:8.1f}{number[name]:8}  {name}")
        terminalreporter.write_line(f"\n{self.files.total():.0f} seconds in all")


def pytest_configure(config):
    config.pluginmanager.register(Seconds())
