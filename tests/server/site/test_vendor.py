"""The vendored libraries are those of their manifest, the wheel has the whole page, and the page stays small."""

import gzip
import hashlib
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from evilpegs_clients.strategies.optimal import TREES
from evilpegs_server.representation import GZIP_LEVEL
from evilpegs_server.site.page import PAGE_FOLDER

VENDOR = PAGE_FOLDER / "vendor"
ROOT = Path(__file__).parents[3]
BUNDLES = json.loads((VENDOR / "manifest.json").read_text())["bundles"]
FIRST_VIEW_BYTES, CHARTS_BYTES = 60 << 10, 250 << 10
IMPORT = re.compile(r"""(?:from|import) ?\(?["'](\.[^"']+)["']""")
STATIC_IMPORT = re.compile(r"""^(?:import|export) (?:[^;"']*from )?["'](\.[^"']+)["']""", re.MULTILINE)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def wrong_files(read):
    """Return the names of the manifest's files whose bytes, as ``read`` gives them, are not those of the manifest."""
    named = {each["file"]: each["sha256"] for each in BUNDLES}
    named |= {each["licenses"]: each["licenses_sha256"] for each in BUNDLES}
    return [name for name, expected in named.items() if sha256(read(name)) != expected]


def modules_of(path, pattern):
    """Return a module and all that it imports, directly or not."""
    found, waiting = set(), [path]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += [(module.parent / each).resolve() for each in pattern.findall(module.read_text())]
    return found


def compressed(paths):
    return sum(len(gzip.compress(path.read_bytes(), GZIP_LEVEL)) for path in paths)


def test_vendored_files_are_those_of_manifest():
    assert wrong_files(lambda name: (VENDOR / name).read_bytes()) == []
    named = {each[key] for each in BUNDLES for key in ("file", "licenses")} | {"manifest.json"}
    assert {path.name for path in VENDOR.iterdir() if not path.name.endswith(".d.ts")} == named


def test_changed_vendored_file_is_noticed():
    """The control of the test above."""
    assert wrong_files(lambda name: (VENDOR / name).read_bytes() + b" ") != []


def test_every_vendored_package_has_license_and_locked_version():
    locked = json.loads((ROOT / "tests/page/package-lock.json").read_text())["packages"]
    for bundle in BUNDLES:
        text = (VENDOR / bundle["licenses"]).read_text()
        for package in bundle["packages"]:
            assert package["license"] in {"BSD-3-Clause", "ISC", "MIT", "Unlicense"}
            assert f"{package['name']} {package['version']}\n" in text
            assert locked[f"node_modules/{package['name']}"]["version"] == package["version"]


def test_lock_names_no_registry():
    assert "resolved" not in (ROOT / "tests/page/package-lock.json").read_text()


def test_wheel_has_every_file_of_page_and_every_tree(tmp_path):
    build = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", build, str(tmp_path)], cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        prefix = "evilpegs_page/"
        texts = f"{prefix}texts/"
        documents = {name.removeprefix(texts) for name in archive.namelist() if name.startswith(texts)}
        assert {"README.md", "protocol/README.md", "docs/tour.md", "examples/minimal_bot.py"} <= documents
        packed = {
            name.removeprefix(prefix)
            for name in archive.namelist()
            if name.startswith(prefix) and not name.startswith(texts)
        }
        paths = [path for path in PAGE_FOLDER.rglob("*") if path.is_file() and path.suffix != ".pyc"]
        assert packed == {path.relative_to(PAGE_FOLDER).as_posix() for path in paths}
        assert wrong_files(lambda name: archive.read(f"{prefix}vendor/{name}")) == []
        folder = "evilpegs_clients/strategies/trees/"
        trees = {name.removeprefix(folder) for name in archive.namelist() if name.startswith(folder)}
        assert trees == {path.name for path in TREES.iterdir()}


def test_page_is_data_only():
    assert [path.name for path in PAGE_FOLDER.rglob("*.py")] == ["__init__.py"]


def test_first_view_is_small():
    first = modules_of(PAGE_FOLDER / "app.js", STATIC_IMPORT) | modules_of(
        PAGE_FOLDER / "views/first.js", STATIC_IMPORT
    )
    document = [PAGE_FOLDER / name for name in ("index.html", "style.css", "theme.js", "favicon.svg")]
    assert PAGE_FOLDER / "core/evil.js" in first
    assert VENDOR / "plot.js" not in first
    assert compressed([*first, *document]) < FIRST_VIEW_BYTES
    assert compressed([*first, *document, VENDOR / "plot.js"]) < CHARTS_BYTES


def test_document_preloads_modules_of_first_view():
    """A module that is found only in another one costs a request after that request."""
    shell, view = [modules_of(PAGE_FOLDER / name, STATIC_IMPORT) for name in ("app.js", "views/first.js")]
    needed = {path.relative_to(PAGE_FOLDER).as_posix() for path in shell | view} - {"app.js"}
    document = (PAGE_FOLDER / "index.html").read_text()
    assert set(re.findall('<link rel="modulepreload" href="static/DIGEST/([^"]+)">', document)) == needed


def test_every_import_of_page_exists_and_stays_below_its_directory():
    for path in PAGE_FOLDER.rglob("*.js"):
        if path.parent != VENDOR:
            for module in modules_of(path, IMPORT):
                assert module.is_relative_to(PAGE_FOLDER)


@pytest.mark.parametrize("text", ["import(`./x`)", "https://example.org/x.js", "innerHTML", "unsafeHTML", "eval("])
def test_page_has_no(text):
    files = [path for path in PAGE_FOLDER.rglob("*.js") if path.parent != VENDOR]
    assert [path.name for path in files if text in path.read_text()] == []
