"""The tests of the page's JavaScript without a browser, run by node; their output is that of this test."""

import shutil
import subprocess
from pathlib import Path

from support.patience import PATIENCE
from support.requirements import require

FOLDER = Path(__file__).parent / "js"


def run_node(*files):
    """Run test files in one process of node, which takes longer to start than most of them; return it at its end."""
    require(shutil.which("node"), "the tests of the page's JavaScript need node; on Debian: apt install nodejs")
    imports = "".join(f"await import({file.as_uri()!r});" for file in files)
    command = ["node", "--test-reporter=tap", "--input-type=module", "-e", imports]
    return subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_javascript_passes_its_tests():
    result = run_node(*sorted(FOLDER.glob("*.test.js")))
    assert result.returncode == 0, result.stdout[-20_000:] + result.stderr
    assert "\n# fail 0\n" in result.stdout
    assert "\n# pass 0\n" not in result.stdout


def test_failing_javascript_is_noticed(tmp_path):
    """The control of the test above."""
    failing, good = tmp_path / "failing.test.mjs", tmp_path / "good.test.mjs"
    failing.write_text('import test from "node:test";\ntest("no", () => {\n  throw new Error("on purpose");\n});\n')
    good.write_text('import test from "node:test";\ntest("yes", () => {});\n')
    result = run_node(failing, good)
    assert result.returncode == 1
    assert "on purpose" in result.stdout
    assert "\n# pass 1\n" in result.stdout
