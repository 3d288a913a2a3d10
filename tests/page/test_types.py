"""The types in the JSDoc comments of the page, checked by tsc; `npm ci --prefix tests/page` installs it."""

import json
import subprocess
from pathlib import Path

import pytest

from support.patience import PATIENCE
from support.requirements import require

FOLDER = Path(__file__).parent
COMPILER = FOLDER / "node_modules" / ".bin" / "tsc"

pytestmark = pytest.mark.full


def check_types(project):
    """Check the types of a project and return the finished process."""
    require(COMPILER, "the check of types needs tsc; run: npm ci --prefix tests/page")
    return subprocess.run(
        [str(COMPILER), "--project", str(project)], capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def test_types_of_page_hold():
    result = check_types(FOLDER)
    assert result.returncode == 0, result.stdout


def test_wrong_type_is_noticed(tmp_path):
    """The control of the test above: the same options refuse a module that uses the core wrongly."""
    options = json.loads((FOLDER / "tsconfig.json").read_text())
    core = FOLDER.parents[1] / "clients" / "evilpegs_page" / "core"
    (tmp_path / "wrong.js").write_text(f'import {{ parseRules }} from "{core}/rules.js";\nparseRules(46);\n')
    (tmp_path / "tsconfig.json").write_text(json.dumps(options | {"include": ["*.js"], "exclude": []}))
    result = check_types(tmp_path)
    assert result.returncode != 0
    assert "TS2345" in result.stdout
