"""The protocol as HTML for the page: `protocol/README.md`, rendered. ``make transcripts`` writes it again."""

import re
from itertools import count
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "protocol/README.md"
RENDERED = ROOT / "clients/evilpegs_page/protocol.html"
LINK_TO_FILE = re.compile(r"\[([^]]+)\]\((?!https:)[^)]*\)")


def render(text):
    """Return a Markdown text as HTML, with links to its parts below the title. Markup in the text is shown as text."""
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(LINK_TO_FILE.sub(r"\1", text))
    html = re.sub("(?<=<h[1-3])>(.*)</h", lambda found: f' id="{slug(found[1])}" tabindex="-1"{found[0]}', html)
    # the policy of the page refuses styles in markup, which align columns
    html = re.sub(r'<(t[hd]) style="[^"]*">', r"<\1>", html).replace("<th>", '<th scope="col">')
    # what is wider than a phone scrolls in a box of its own, also by key
    html = boxed(html, "<pre>", "<pre ATTRIBUTES>", "Example")
    html = boxed(html, "<table>", '<div class="scroll" ATTRIBUTES><table>', "Table")
    html = html.replace("</table>", "</table></div>")
    parts = re.findall(r'<h2 id="([^"]+)"[^>]*>(.*)</h2', html)
    links = [f'<a href="#/protocol?part={part}">{name}</a>' for part, name in parts]
    contents = "\n".join(['<nav aria-label="Contents">', *links, "</nav>"])
    return html.replace("</h1>\n", f"</h1>\n{contents}\n", 1)


def boxed(html, tag, box, label):
    numbers = count(1)
    region = 'tabindex="0" role="region" aria-label'
    return re.sub(tag, lambda _: box.replace("ATTRIBUTES", f'{region}="{label} {next(numbers)}"'), html)


def slug(heading):
    """Return the name of a heading in an address, such as "how-a-match-goes"."""
    return re.sub(r"[^a-z0-9 -]", "", re.sub(r"<[^>]*>|&\w+;", "", heading).lower()).strip().replace(" ", "-")


if __name__ == "__main__":
    RENDERED.write_text(render(SOURCE.read_text()))
