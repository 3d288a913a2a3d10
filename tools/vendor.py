"""Bundle the JavaScript libraries of the page: ``make vendor``. Each becomes one module in the page's vendor/.

The packages and their versions are those of tests/page/package-lock.json. npm installs them into a temporary directory,
esbuild bundles them there, and the licenses of exactly the packages in a bundle are kept beside it. Running this again
without a change of versions writes the same bytes.

The types of a bundle are those of its packages, which tsc finds in tests/page/node_modules.

Plot writes style elements into its charts, which the Content-Security-Policy of the page refuses. The bundle writes
their text into elements that browsers ignore; the rules that the page needs are in its own style sheets.
"""

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "tests/page"
VENDOR = ROOT / "clients/evilpegs_page/vendor"
DIRECTIVES = {"class-map": "classMap", "live": "live", "ref": "createRef, ref", "repeat": "repeat"}
ENTRIES = {
    "lit": "export * from 'lit';\n"
    + "".join(f"export {{{names}}} from 'lit/directives/{file}.js';\n" for file, names in DIRECTIVES.items()),
    "marked": "export {Marked, Renderer} from 'marked';\n",
    "plot": "export * from '@observablehq/plot';\n",
}
STYLE_ELEMENTS = {
    "plot.js": ('svg.append("style")', 'svg.append("metadata")'),
    "legends/ramp.js": ('svg.append("style")', 'svg.append("metadata")'),
    "legends/swatches.js": ('div.insert("style", "*")', 'div.insert("template", "*")'),
}
OPTIONS = ["--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=none", "--metafile=meta.json"]


def install(directory):
    """Install the locked packages in ``directory``, and change Plot so that it writes no style elements."""
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PAGE / name, directory)
    subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=directory, check=True)
    for name, (written, instead) in STYLE_ELEMENTS.items():
        path = directory / "node_modules/@observablehq/plot/src" / name
        text = path.read_text()
        if text.count(written) != 1:
            message = f"{path}: expected {written} once; look where this version of Plot writes its styles"
            raise SystemExit(message)
        path.write_text(text.replace(written, instead))


def bundle(directory, name):
    """Write a bundle and its types; return the directories of the packages in it, sorted by name."""
    (directory / f"{name}.entry.js").write_text(ENTRIES[name])
    (VENDOR / f"{name}.d.ts").write_text(ENTRIES[name])
    command = ["node_modules/.bin/esbuild", f"{name}.entry.js", f"--outfile={VENDOR / name}.js", "--log-level=error"]
    subprocess.run([*command, *OPTIONS], cwd=directory, check=True)
    inputs = json.loads((directory / "meta.json").read_text())["inputs"]
    packages = {_package(path.split("/")[1:3]) for path in inputs if path.startswith("node_modules/")}
    return [directory / "node_modules" / package for package in sorted(packages)]


def _package(parts):
    return "/".join(parts) if parts[0].startswith("@") else parts[0]


def describe(name, packages):
    """Write the licenses of the packages in a bundle, and return the bundle's entry in the manifest."""
    found = [json.loads((package / "package.json").read_text()) for package in packages]
    texts = [
        f"{each['name']} {each['version']}\n\n{_license(path)}\n" for each, path in zip(found, packages, strict=True)
    ]
    (VENDOR / f"{name}.LICENSES.txt").write_text(("\n" + "-" * 80 + "\n\n").join(texts))
    return {
        "file": f"{name}.js",
        "sha256": _hash(f"{name}.js"),
        "licenses": f"{name}.LICENSES.txt",
        "licenses_sha256": _hash(f"{name}.LICENSES.txt"),
        "packages": [{key: each[key] for key in ("name", "version", "license")} for each in found],
    }


def _license(package):
    [*texts] = sorted(path for path in package.iterdir() if path.name.upper().startswith(("LICENSE", "COPYING")))
    if not texts:
        message = f"{package.name} has no text of its license"
        raise SystemExit(message)
    return texts[0].read_text().strip()


def _hash(name):
    return hashlib.sha256((VENDOR / name).read_bytes()).hexdigest()


def main():
    """Write every bundle, its licenses and the manifest."""
    VENDOR.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        install(directory)
        entries = [describe(each, bundle(directory, each)) for each in ENTRIES]
    (VENDOR / "manifest.json").write_text(json.dumps({"bundles": entries}, indent=1) + "\n")


if __name__ == "__main__":
    main()
