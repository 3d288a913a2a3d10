"""Slips of paper to cut out, one per player, each with the name, the token, and a link with a QR code that logs in."""

from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Final
from urllib.parse import urlencode, urlsplit

from evilpegs.errors import CommandError
from evilpegs_game.errors import quoted

# drawn when the file is opened, by the code of the page, which is the only thing here that can
_DRAW: Final = """
document.querySelectorAll("svg").forEach((svg) => {
  const rows = qrCode(svg.dataset.link);
  svg.setAttribute("viewBox", `-4 -4 ${rows.length + 8} ${rows.length + 8}`);
  svg.firstElementChild.setAttribute("d", qrPath(rows));
});
"""
_STYLE: Final = """
body { margin: 0; font: 11pt sans-serif; }
main { display: grid; grid-template-columns: 1fr 1fr; }
section { display: grid; grid-template-columns: 1fr 38mm; gap: 0 4mm; padding: 5mm; border: 1px dashed #888;
  break-inside: avoid; }
h2 { margin: 0; font-size: 18pt; overflow-wrap: anywhere; }
p { margin: 1mm 0; }
code { font-size: 8pt; overflow-wrap: anywhere; }
svg { grid-row: 1 / 4; grid-column: 2; width: 38mm; height: 38mm; }
"""


def check_slips(slips_file: str | None, site: str | None) -> None:
    """Raise CommandError unless both are given, or none, and ``site`` is the address of a page."""
    if (slips_file is None) != (site is None):
        raise CommandError("--slips and --site go together: --slips slips.html --site http://192.0.2.10:8000/")
    if site is not None and not _is_address(site):
        raise CommandError(f"not the address of a page: {quoted(site, 80)}; write http://HOST:PORT/ or https://HOST/")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0 and not parts.fragment
    except ValueError:
        return False


def slips(site: str, tokens: Mapping[str, str]) -> str:
    """Return a page of HTML with a slip for each name and its token; ``site`` is the address of the page."""
    code = files("evilpegs_page").joinpath("core", "qr.js").read_text("utf-8").replace("export function", "function")
    sections = "\n".join(_slip(site, name, token) for name, token in tokens.items())
    head = f"<meta charset='utf-8'><title>Slips for {escape(site)}</title><style>{_STYLE}</style>"
    return (
        f"<!doctype html>\n<html lang='en'>{head}\n<main>\n{sections}\n</main>\n<script>{code}{_DRAW}</script></html>\n"
    )


def join_link(site: str, name: str, token: str) -> str:
    return f"{site.rstrip('/')}/#/join?{urlencode({'name': name, 'token': token})}"


def _slip(site: str, name: str, token: str) -> str:
    link = escape(join_link(site, name, token), quote=True)
    return f"""<section>
<h2>{escape(name)}</h2>
<p>Scan the code, or open <b>{escape(site.rstrip("/"))}/#/join</b> and enter this name and its token:</p>
<p><code>{token}</code></p>
<svg data-link="{link}" role="img" aria-label="QR code of the link"><path></path></svg>
</section>"""
