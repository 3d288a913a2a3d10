"""The form of the Markdown files: lines that fit a terminal, and links that lead somewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WIDTH = 120
EVERYWHERE = ("*.md", "docs/*.md", "protocol/*.md", "tests/compatibility/*.md")
PAGES = sorted(path.relative_to(ROOT).as_posix() for pattern in EVERYWHERE for path in ROOT.glob(pattern))
_FENCE = re.compile(r"^\s*(```|~~~)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of every line that is neither in a table nor in a block of code."""
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if _FENCE.match(line):
            is_code = not is_code
        elif not is_code and not line.lstrip().startswith("|"):
            yield number, line


def anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_pages_are_found() -> None:
    assert {"README.md", "CHANGELOG.md", "docs/architecture.md", "protocol/README.md"} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_prose_lines_fit_terminal(page: str) -> None:
    lines = prose_lines((ROOT / page).read_text())
    assert [f"{page}:{number}" for number, line in lines if len(line) > WIDTH] == []


@pytest.mark.parametrize("page", PAGES)
def test_page_links_exist(page: str) -> None:
    text = (ROOT / page).read_text()
    for target, fragment in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)", text):
        path = (ROOT / page).parent / target if target else ROOT / page
        assert path.exists(), f"{page}: {target}"
        if fragment and path.suffix == ".md":
            headings = _HEADING.findall(path.read_text())
            assert fragment in {anchor(heading) for heading in headings}, f"{page}: {target}#{fragment}"
