"""Run tests, and what failed once more, alone: ``make test-all``.

    python -m tools.flaky -n 3 tests/server

What passes then has raced with something. It is printed last, with its first failure, and the next change mends it
before anything else; but it fails no run. A test that fails twice does, and so does everything that is not a test.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

MOST = 20
"""Tests that are tried again: more than these do not fail by a race."""
LINES = 60
"""The last lines of a failure that are printed again."""
FILE = "EVILPEGS_FAILURES"


class Failures:
    """A plugin of pytest that keeps the first failure of each test, also of one that another process ran."""

    def __init__(self, file):
        self.file, self.texts = file, {}

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.texts.setdefault(report.nodeid, report.longreprtext)

    def pytest_collectreport(self, report):
        # a module that cannot be imported has no tests, and fails again as a whole
        if report.failed:
            self.texts.setdefault(report.nodeid, report.longreprtext)

    def pytest_sessionfinish(self):
        self.file.write_text(json.dumps(self.texts))


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(Path(os.environ[FILE])))


def run(arguments, file):
    """Run pytest; return its exit status, and the texts of the failures by the ids of tests."""
    file.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-p", "tools.flaky", *arguments]
    status = subprocess.run(command, env=os.environ | {FILE: str(file)}, check=False).returncode
    return status, json.loads(file.read_text()) if file.exists() else {}


def main(arguments):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "failures.json"
        status, failures = run(arguments, file)
        if status != 1 or not 0 < len(failures) <= MOST:
            return status
        print(f"\nonce more, alone: {len(failures)} that failed", flush=True)
        twice = {test for test in failures if run(["-q", "-n", "0", test], file)[0]}
    for test in failures.keys() - twice:
        print(f"\nflaky: {test}\n" + "\n".join(failures[test].splitlines()[-LINES:]))
    print(f"\n{len(failures) - len(twice)} flaky, {len(twice)} failed twice" + "".join(f"\n  {test}" for test in twice))
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
