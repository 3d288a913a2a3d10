"""The page docs/json.md as data, and the comparison of real documents with it.

A section of the page is a heading, usually with a command, an example and a table of fields. The second column of the
table is a type: `text`, `integer`, `number`, `boolean`, `object`, a name of `NAMED`, or `list of TYPES`. Types are
joined with `or`; `or null` allows null. After the type may stand a unit in parentheses and `, may be absent`.

To document a new command, write its section, and add to the test one command for each null and each absent field.
"""

import json
import re
import shlex
from dataclasses import dataclass, field

NAMED = {"turn": "turn", "ladder": "ladder", "evaluation": "evilpegs evaluate"}
"""The headings of the sections that document objects, by the name of the type."""
PLAIN = {
    "text": lambda value: isinstance(value, str),
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in {int, float},
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
    **dict.fromkeys(NAMED, lambda value: isinstance(value, dict)),
}
_SECTION = re.compile(r"^##+ (.+)\n", re.MULTILINE)
_ROW = re.compile(r"^\| `([^`]+)` \| (.+?) \| (.+) \|$", re.MULTILINE)
_TYPE = re.compile(r"(?P<kinds>[^(,]+?)(?: \((?P<unit>[^)]+)\))?(?P<optional>, may be absent)?")


class MalformedPageError(Exception):
    """An error raised when a row of the page has an unknown type."""


@dataclass(frozen=True)
class Field:
    """A documented field: the types it may have, including null, and whether it may be absent."""

    kinds: tuple[str, ...]
    optional: bool
    meaning: str


@dataclass(frozen=True)
class Section:
    """A section of the page, which documents one kind of document."""

    heading: str
    command: tuple[str, ...]
    example: object
    fields: dict[str, Field]


@dataclass
class Comparison:
    """The comparison of documents with a page.

    ``problems`` lists the differences so far. ``occurred`` has each documented case that has occurred, as (heading,
    field, case).
    """

    sections: dict[str, Section]
    problems: list[str] = field(default_factory=list)
    occurred: set[tuple[str, str, str]] = field(default_factory=set)

    def add(self, heading, document):
        """Compare a document with the section that has this heading."""
        self._object(document, heading, "")

    def unseen(self):
        """Return each documented case that has not occurred, as (heading, field, case).

        A case is a type of a field, or ``absent``.
        """
        documented = {
            (section.heading, path, case)
            for section in self.sections.values()
            for path, each in section.fields.items()
            for case in (*each.kinds, *(("absent",) if each.optional else ()))
        }
        return sorted(documented - self.occurred)

    def _object(self, value, heading, prefix):
        if not isinstance(value, dict):
            self.problems.append(f"{heading}: {prefix or 'the document'} is not an object")
            return
        fields = self.sections[heading].fields
        for name, inner in value.items():
            path = prefix + name
            if path in fields:
                self._value(inner, heading, path, fields[path])
            else:
                self.problems.append(f"{heading}: {path} is not documented")
        for path, each in fields.items():
            name = path.removeprefix(prefix)
            if path.startswith(prefix) and not re.search(r"[.\[]", name) and name not in value:
                self._absent(heading, path, each)

    def _absent(self, heading, path, each):
        if each.optional:
            self.occurred.add((heading, path, "absent"))
        else:
            self.problems.append(f"{heading}: {path} is absent")

    def _value(self, value, heading, path, each):
        kind = next((kind for kind in each.kinds if matches(value, kind)), None)
        if kind is None:
            self.problems.append(f"{heading}: {path} is {json.dumps(value)[:60]}, not {' or '.join(each.kinds)}")
            return
        self.occurred.add((heading, path, kind))
        is_list = kind.startswith("list of ")
        name = kind.removeprefix("list of ").removesuffix("s") if is_list else kind
        for element in value if is_list else [value]:
            if name == "object":
                self._object(element, heading, f"{path}[]." if is_list else f"{path}.")
            elif name in NAMED:
                self.add(NAMED[name], element)


def matches(value, kind):
    """Return True if ``value`` has the type ``kind`` of the page; the elements of a list are checked too."""
    if kind.startswith("list of "):
        inner = kind.removeprefix("list of ")
        inner = inner.replace("lists", "list", 1) if inner.startswith("lists") else inner.removesuffix("s")
        return isinstance(value, list) and all(matches(each, inner) for each in value)
    if kind not in PLAIN:
        raise MalformedPageError(kind)
    return PLAIN[kind](value)


def parse_page(text):
    """Return the sections of a page by heading, without those that have neither a command nor fields."""
    _, *parts = _SECTION.split(text)
    sections = (_section(heading, body) for heading, body in zip(parts[::2], parts[1::2], strict=True))
    return {section.heading: section for section in sections if section.fields or section.command}


def _section(heading, body):
    command = re.search(r"```console\n\$ (.+)\n```", body)
    example = re.search(r"```json\n(.*?)```", body, re.DOTALL)
    return Section(
        heading,
        tuple(shlex.split(command[1])) if command else (),
        json.loads(example[1]) if example else None,
        {path: _field(path, kind, meaning) for path, kind, meaning in _ROW.findall(body)},
    )


def _field(path, kind, meaning):
    parsed = _TYPE.fullmatch(kind)
    if parsed is None:
        message = f"{path}: {kind}"
        raise MalformedPageError(message)
    kinds = tuple(parsed["kinds"].split(" or "))
    for each in kinds:
        matches([], each)
    return Field(kinds, parsed["optional"] is not None, meaning)
