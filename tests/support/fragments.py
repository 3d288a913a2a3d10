"""Fragments of HTML as notebooks show them, read strictly."""

from html.parser import HTMLParser

TAGS = {"div", "span", "table", "tbody", "td", "th", "thead", "tr"}
ATTRIBUTES = {"colspan", "style"}


class Fragment(HTMLParser):
    """A fragment's tags, texts and styles; it refuses tags that do not balance or do more than show."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.texts, self.styles, self._open = [], [], [], []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS, tag
        assert {name for name, _ in attrs} <= ATTRIBUTES
        self.tags.append(tag)
        self._open.append(tag)
        style = dict(attrs).get("style", "")
        self.styles.append(dict(each.split(":", 1) for each in style.split(";") if each))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def refuse(self, data):
        raise AssertionError(data)

    handle_comment = handle_decl = handle_pi = unknown_decl = refuse

    @property
    def text(self):
        return "".join(self.texts)
