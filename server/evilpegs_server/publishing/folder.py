"""A published site in a folder: documents in files that are named by their digests, and a manifest that lists them.

    index.html, favicon.svg, static/DIGEST/...   the page
    offline.js, manifest.webmanifest             its service worker, and what a phone needs to install it
    data/manifest.json                           the newest site
    data/DI/GEST.json, .jsonl                    a document, or a part of the index

Whoever reads the manifest finds all that it names, so the old site is whole until the new manifest takes the place of
its own. Files that no manifest names any more are removed then.
"""

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import orjson

from evilpegs_game.errors import EvilpegsError
from evilpegs_server.site.page import load_page
from evilpegs_server.storage.lock import FileLock

FORMAT: Final = 1
DATA: Final = "data"
MANIFEST: Final = f"{DATA}/manifest.json"
_LOCK: Final = ".publishing"
_NOTES: Final = ".analyses"
_DIGITS: Final = 32
_TEMPORARY: Final = ".part"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"
)
"""That of the page on a server, but for what only a header can say."""


class PublishError(EvilpegsError):
    """A site cannot be written; the one that was there is whole. The message is one line."""


class SiteFolder:
    """A folder while a site is written to it; no two processes write to one. Raises PublishError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            names = {each.name for each in path.iterdir() if not each.name.startswith(".")}
            if (foreign := sorted(names - {DATA, "static"})) and not (path / MANIFEST).is_file():
                raise PublishError(f"{path} has other files, such as {foreign[0]}; name an empty folder")
            self._lock = FileLock(path / _LOCK)
        except BlockingIOError:
            raise PublishError(f"another process writes a site to {path}; wait for it or name another") from None
        except OSError as error:
            raise self.failure(error) from None
        self._kept: set[str] = set()
        self.sizes: dict[str, int] = {}
        """The bytes of what this site holds, by digest."""

    def failure(self, error: OSError) -> PublishError:
        return PublishError(f"cannot write a site to {self.path}: {error.strerror}; what was there before is whole")

    def manifest(self) -> dict[str, Any]:
        """Return the manifest of the site that is there; an empty one if there is none that can be read."""
        try:
            found = orjson.loads((self.path / MANIFEST).read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return {}
        return found if isinstance(found, dict) and found.get("format") == FORMAT else {}

    def read(self, digest: str) -> Any:
        """Return a document of JSON; None if it is not there."""
        try:
            return orjson.loads((self.path / file_of(digest)).read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return None

    def has(self, digest: str) -> bool:
        return (self.path / file_of(digest)).is_file()

    def keep(self, digest: str, suffix: str = ".json") -> str:
        """Keep a document that is there already; return its digest."""
        name = file_of(digest, suffix)
        self._kept.add(name)
        self.sizes[digest] = (self.path / name).stat().st_size
        return digest

    def put(self, content: bytes, suffix: str = ".json") -> str:
        """Write a document, unless it is there; return its digest. Raises PublishError."""
        digest = hashlib.sha256(content).hexdigest()[:_DIGITS]
        self._write(file_of(digest, suffix), content)
        self.sizes[digest] = len(content)
        return digest

    def begin_again(self) -> None:
        self._kept.clear()
        self.sizes.clear()

    def note_analysis(self, record: str, analysis: str, made_by: str) -> None:
        """Note the digests of a record and of its analysis, for the next time if this one does not finish."""
        with (self.path / _NOTES).open("a") as notes:
            notes.write(f"{record} {analysis} {made_by}\n")

    def known_analyses(self, made_by: str) -> dict[str, str]:
        """Return the digests of the analyses that are there by those of their records, if this version made them."""
        found: dict[str, str] = {}
        manifest = self.manifest()
        if manifest.get("evilpegs") == made_by:
            for part in manifest["matches"].values():
                found |= {record: analysis for record, analysis in (self.read(part) or {}).values() if analysis}
        with suppress(OSError):
            notes = [line.split() for line in (self.path / _NOTES).read_text().splitlines()]
            found |= {each[0]: each[1] for each in notes if each[2:] == [made_by]}
        return {record: analysis for record, analysis in found.items() if self.has(analysis)}

    def finish(self, manifest: Mapping[str, Any]) -> None:
        """Write the page and then the manifest, and remove what neither names. Raises PublishError."""
        page = load_page()
        for name, file in page.files.items():
            self._write(f"static/{name}", file.content.body)
        self._write("favicon.svg", page.icon.content.body)
        self._write("index.html", page.published(POLICY), is_new=True)
        for name, file in page.beside.items():
            self._write(name, file.content.body, is_new=True)
        os.sync()  # a manifest must not outlive what it names
        self._write(MANIFEST, orjson.dumps({"format": FORMAT, **manifest}), is_new=True)
        try:
            (self.path / _NOTES).unlink(missing_ok=True)
            self._sweep()
        except OSError as error:
            message = f"the site is written, and a file of the one before cannot be removed: {error}"
            raise PublishError(message) from None

    def close(self) -> None:
        (self.path / _LOCK).unlink(missing_ok=True)
        self._lock.release()

    def _write(self, name: str, content: bytes, *, is_new: bool = False) -> None:
        self._kept.add(name)
        path = self.path / name
        try:
            if not is_new and path.is_file() and path.stat().st_size == len(content):
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(path.name + _TEMPORARY)
            part.write_bytes(content)
            part.replace(path)
        except OSError as error:
            raise self.failure(error) from None

    def _sweep(self) -> None:
        for folder in (self.path / DATA, self.path / "static"):
            for root, folders, files in os.walk(folder, topdown=False):
                here = Path(root)
                for name in files:
                    if (here / name).relative_to(self.path).as_posix() not in self._kept:
                        (here / name).unlink()
                for name in folders:
                    if not any((here / name).iterdir()):
                        (here / name).rmdir()


def file_of(digest: str, suffix: str = ".json") -> str:
    return f"{DATA}/{digest[:2]}/{digest[2:]}{suffix}"
