"""The files of the web page, and the HTTP headers that let the page connect only to this server.

The files are read once, at the start. Only these can be requested, so a path out of their directory matches none.
The documents of the version are among them, in `documents/`.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from evilpegs_server.representation import Representation

PAGE_FOLDER: Final = Path(str(files("evilpegs_page")))
# a wheel has the texts in the package (pyproject.toml); an editable installation reads them where they are written
_TEXTS: Final = PAGE_FOLDER / "texts" if (PAGE_FOLDER / "texts").is_dir() else PAGE_FOLDER.parents[1]
KEEP_FOREVER: Final = "public, max-age=31536000, immutable"
# A worker has the policy of its own response. This one runs code that visitors wrote or were given: it may request
# nothing. (With `sandbox` it would have no storage either, but then code in a worker can crash the page in Chromium.)
WORKER_POLICY: Final = "default-src 'none'; script-src 'unsafe-eval'"
# The service worker passes requests of the page on, and it has none of its own to others.
OFFLINE_POLICY: Final = "default-src 'none'; connect-src 'self'"
FILE_HEADERS: Final[Mapping[str, Mapping[str, str]]] = {
    "bots/worker.js": {"Content-Security-Policy": WORKER_POLICY},
    "offline.js": {"Content-Security-Policy": OFFLINE_POLICY},
}
BESIDE: Final[Sequence[str]] = ("offline.js", "manifest.webmanifest")
"""What stands beside the document, at an address that lasts: a browser knows the installed page by it."""
_NEVER_LOADED: Final = ("preview.png", "package.json", "vendor/manifest.json", "LICENSES.txt")
"""The ends of the names of files that the page does not need offline: it never loads them."""
_MEDIA_TYPES: Final[Mapping[str, str]] = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}


@dataclass(frozen=True, slots=True)
class PageFile:
    content: Representation
    media_type: str
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Page:
    """The document, and the files that it names by ``DIGEST/PATH``, so that a changed file has a new address."""

    index: bytes
    icon: PageFile
    beside: Mapping[str, PageFile]
    files: Mapping[str, PageFile]

    def index_at(self, url: str | None) -> bytes:
        """Return the document with the address of the site: what shows a link needs all of that of its picture."""
        return self.index.replace(b"SITE/", escape(url or "").encode())

    def published(self, policy: str) -> bytes:
        """Return the document for a site without a server, whose host sends no policy for it."""
        metas = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<meta name="published">'
        # what only a server has
        fitting = re.sub(rb" The server also answers[^\n]*(?=</p>)|<a href=\"#/bots\">Bots</a>\n", b"", self.index)
        return fitting.replace(b"<title>", metas.encode() + b"\n<title>", 1).replace(b"SITE/", b"")


def load_page(folder: Path = PAGE_FOLDER) -> Page:
    """Read the files below ``folder``, without those of an unknown media type, and the documents."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.suffix in _MEDIA_TYPES}
    paths = {name: path for name, path in paths.items() if not name.startswith("texts/")}
    contents = {name: path.read_bytes() for name, path in sorted(paths.items())} | _documents()
    files = {
        name: PageFile(Representation(content), _MEDIA_TYPES[Path(name).suffix], FILE_HEADERS.get(name, {}))
        for name, content in contents.items()
    }
    # of what is sent only: the next process, and every other node, must find the same addresses
    sent = [(name, file.content.digest, file.media_type, sorted(file.headers.items())) for name, file in files.items()]
    digest = hashlib.sha256(repr(sent).encode()).hexdigest()[:16]
    filled = {name: files.pop(name) for name in ("index.html", *BESIDE) if name in files}
    loaded = " ".join(name for name in files if not name.endswith(_NEVER_LOADED))
    values = {b"/DIGEST/": f"/{digest}/", b'"NAMES"': f'"{loaded}"'}
    for name, file in filled.items():
        text = file.content.body
        for place, value in values.items():
            text = text.replace(place, value.encode())
        filled[name] = replace(file, content=Representation(text))
    index = filled.pop("index.html").content.body
    return Page(index, files["favicon.svg"], filled, {f"{digest}/{name}": file for name, file in files.items()})


def _documents() -> dict[str, bytes]:
    texts = {path.name: path.read_bytes() for pattern in ("*.md", "*.svg") for path in (_TEXTS / "docs").glob(pattern)}
    texts["protocol.md"] = (_TEXTS / "protocol/README.md").read_bytes()
    titles = {
        name.removesuffix(".md"): texts[name].decode().partition("\n")[0].strip("# ")
        for name in sorted(texts)
        if name.endswith(".md")
    }
    texts["titles.json"] = json.dumps(titles).encode()
    return {f"documents/{name}": texts[name] for name in sorted(texts)}


def page_headers(game_url: str | None) -> dict[str, str]:
    """Return headers that let the page load files only from this server and connect only to it and ``game_url``."""
    connect = "'self'" if game_url is None else f"'self' {_source(game_url)}"
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src {connect}; manifest-src 'self'; worker-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer", "Vary": "Accept"}


def _source(url: str) -> str:
    # a policy cannot name an IPv6 address, so only the scheme is named
    parts = urlsplit(url)
    return f"{parts.scheme}:" if "[" in parts.netloc else f"{parts.scheme}://{parts.netloc}"
