"""The files of the web page, and the HTTP headers that let the page connect only to this server.

The files are read once, at the start. Only these can be requested, so a path out of their directory matches none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

PAGE_FOLDER: Final = Path(str(files("evilpegs_page")))
INDEX: Final = "index.html"
FAVICON: Final = "favicon.svg"
_MEDIA_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".html": "text/html; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".svg": "image/svg+xml",
        ".txt": "text/plain; charset=utf-8",
        ".md": "text/markdown; charset=utf-8",
    }
)


@dataclass(frozen=True, slots=True)
class WebFile:
    body: bytes
    media_type: str


def load_web_files(directory: Path = PAGE_FOLDER) -> Mapping[str, WebFile]:
    """Return the files below ``directory`` by relative path, without those of an unknown media type."""
    return MappingProxyType(
        {
            path.relative_to(directory).as_posix(): WebFile(path.read_bytes(), _MEDIA_TYPES[path.suffix])
            for path in sorted(directory.rglob("*"))
            if path.suffix in _MEDIA_TYPES
        }
    )


def page_headers(game_url: str | None) -> dict[str, str]:
    """Return headers that let the page load files only from this server and connect only to it and ``game_url``."""
    connect = "'self'" if game_url is None else f"'self' {_source(game_url)}"
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        f" connect-src {connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer", "Vary": "Accept"}


def _source(url: str) -> str:
    # a policy cannot name an IPv6 address, so only the scheme is named
    parts = urlsplit(url)
    return f"{parts.scheme}:" if "[" in parts.netloc else f"{parts.scheme}://{parts.netloc}"
