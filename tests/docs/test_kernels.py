"""The names in docs/kernels.md exist, and its figures are those of the code."""

import ast
import re
from pathlib import Path

from evilpegs_game.feedback import all_black, feedback_number, feedbacks

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "game" / "evilpegs_game"
TEXT = (ROOT / "docs" / "kernels.md").read_text()
SOURCES = [path.read_text() for path in PACKAGE.rglob("*.py")]


def kernels():
    """Yield every kernel of the game as a syntax tree."""
    for source in SOURCES:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                names = {getattr(decorator, "id", None) for decorator in node.decorator_list}
                if names & {"kernel", "short_kernel"}:
                    yield node


def docstring_lines(node):
    """Return the number of lines of the docstring of a function, which private kernels do not have."""
    first = node.body[0]
    return first.end_lineno - first.lineno + 1 if ast.get_docstring(node) else 0


def test_files_and_names_exist():
    quoted = re.findall(r"`([^`]+)`", TEXT)
    paths = {name for name in quoted if name.endswith(".py")}
    assert len(paths) > 5
    assert [path for path in paths if not (PACKAGE / path.removeprefix("evilpegs_game/")).exists()] == []
    names = {name for name in quoted if re.fullmatch(r"[A-Za-z_]+(\.[a-z]+)?", name)} - {
        "game",
        "bench",
        "make test-all",
    }
    words = set(re.findall(r"\w+", "\n".join(SOURCES)))
    assert len(names) > 15
    assert [name for name in names if name.split(".")[-1] not in words] == []


def test_rows_of_feedback_numbers_begin_as_stated():
    for pegs in range(1, 17):
        for black in range(pegs + 1):
            first = min(feedback_number(each, pegs) for each in feedbacks(pegs) if each.black == black)
            assert first == black * (2 * pegs + 3 - black) / 2
        assert feedback_number(all_black(pegs), pegs) == len(feedbacks(pegs)) - 1
    assert len(feedbacks(16)) == 153
    assert max(pegs for pegs in range(1, 17) if len(feedbacks(pegs)) <= 64) == 9


def test_most_kernels_are_short():
    lengths = [node.end_lineno - node.lineno + 1 - docstring_lines(node) for node in kernels()]
    assert 160 <= len(lengths) <= 180
    assert sum(length <= 30 for length in lengths) / len(lengths) >= 0.95
