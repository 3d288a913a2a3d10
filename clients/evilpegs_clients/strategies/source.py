"""The source of a strategy file: its text, the sibling modules that it imports, and the version that follows from both.

A sibling is a module ``name.py`` or a package ``name/`` beside the file. Imports are found by reading the text, so that
an import inside a function counts too, and nothing is executed.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

VERSION_DIGITS: Final = 8
"""Hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class SiblingModule:
    """A module beside a strategy file, and its source text."""

    path: str
    """Relative to the folder of both, such as ``name.py`` or ``name/part.py``."""
    text: str

    @property
    def name(self) -> str:
        """The name under which the module is imported; for a module in a package, the name of the package."""
        return self.path.partition("/")[0].removesuffix(".py")


def find_siblings(path: Path) -> tuple[SiblingModule, ...]:
    """Return the siblings that a strategy file imports, directly or through others, ordered by path.

    Of a package, all modules are returned. A file that cannot be read or parsed has none, because loading it reports
    the error.
    """
    path = path.resolve()
    folder, texts, waiting = path.parent, dict[Path, str](), [path]
    while waiting:
        for name in _imported_names(_read(waiting.pop())):
            for module in _modules(folder, name):
                if module not in texts and module != path:
                    texts[module] = _read(module)
                    waiting.append(module)
    siblings = (SiblingModule(module.relative_to(folder).as_posix(), text) for module, text in texts.items())
    return tuple(sorted(siblings, key=lambda sibling: sibling.path))


def source_version(text: str, siblings: tuple[SiblingModule, ...] = ()) -> str:
    """Return the version of a strategy file, the beginning of a SHA-256 over its text and its siblings.

    For a file without siblings, it is the beginning of what ``sha256sum`` prints.
    """
    digest = sha256(text.encode())
    for sibling in siblings:
        digest.update(f"\0{sibling.path}\0{sibling.text}".encode())
    return digest.hexdigest()[:VERSION_DIGITS]


def _modules(folder: Path, name: str) -> Iterator[Path]:
    if (folder / name / "__init__.py").is_file():
        yield from sorted((folder / name).rglob("*.py"))
    elif (folder / f"{name}.py").is_file():
        yield folder / f"{name}.py"


def _imported_names(text: str) -> set[str]:
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        return set()
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    from_modules = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.partition(".")[0] for name in plain | from_modules if name}


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return ""
