"""The tests of the page's JavaScript without a browser, run by node; their output is that of this test."""

import shutil
import subprocess
from pathlib import Path

from support.patience import PATIENCE
from support.requirements import require

FOLDER = Path(__file__).parent


def run_node(*files):
    """Run test files with node and return the finished process."""
    require(shutil.which("node"), "the tests of the page's JavaScript need node; on Debian: apt install nodejs")
    return subprocess.run(
        ["node", "--test", *map(str, files)], cwd=FOLDER, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def test_javascript_passes_its_tests():
    result = run_node(*sorted((FOLDER / "js").glob("*.test.js")))
    assert result.returncode == 0, result.stdout[-20_000:] + result.stderr
    assert "\n# pass 0\n" not in result.stdout


def test_failing_javascript_is_noticed(tmp_path):
    """The control of the test above."""
    failing = tmp_path / "failing.test.mjs"
    failing.write_text('import test from "node:test";\ntest("no", () => {\n  throw new Error("on purpose");\n});\n')
    result = run_node(failing)
    assert result.returncode == 1
    assert "on purpose" in result.stdout
