"""Installation from the folder of evilpegs, with extras behind which code stands."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FROM_INDEX = re.compile(
    r"""(?:pip|pipx|uv(?:\s+tool)?|uvx)\s+(?:install\s+|add\s+|run\s+)?['"]?evilpegs\b(?!['"]?\s*@)"""
)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def sources():
    """Return the text of every Python file of the packages."""
    return "\n".join(
        path.read_text() for name in ("protocol", "server", "clients", "cli") for path in (ROOT / name).rglob("*.py")
    )


def test_no_text_installs_from_package_index():
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    texts = {
        name: ROOT / name for name in names if Path(name).suffix in {".md", ".py", ".js", ".html", ".txt", ".toml"}
    }
    own = str(Path(__file__).relative_to(ROOT))
    found = {
        name: FROM_INDEX.findall(path.read_text()) for name, path in texts.items() if name != own and path.exists()
    }
    assert len(found) > 500
    assert {name: hits for name, hits in found.items() if hits} == {}


@pytest.mark.parametrize(
    "text", ["pip install evilpegs", "pip install 'evilpegs[mqtt]'", "uv add evilpegs", "uvx evilpegs"]
)
def test_installation_from_package_index_is_noticed(text):
    assert FROM_INDEX.search(text)
    assert not FROM_INDEX.search("pip install 'evilpegs @ git+https://example.org/evilpegs'; pip install '.[mqtt]'")


@pytest.mark.parametrize("extra", sorted(EXTRAS.keys() - {"all"}))
def test_code_stands_behind_extra(extra):
    text = sources()
    for requirement in EXTRAS[extra]:
        module = re.match(r"[\w-]+", requirement)[0].replace("-", "_")
        assert re.search(rf"^\s*(?:import|from) {module}\b", text, re.MULTILINE), module
