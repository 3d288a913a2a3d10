"""The notebook of the examples runs from top to bottom, and each of its cells shows a table."""

import ast
import json

import pytest

from support.foreign_clients import EXAMPLES
from support.fragments import Fragment

NOTEBOOK = json.loads((EXAMPLES / "notebook.ipynb").read_text(encoding="utf-8"))
CODE = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
SHOWN = [  # by each cell of code
    ["256", "1122", "●··· 1,0"],
    ["3344", "52", "●●·· 2,0"],
    ["41", "3425", "entropy", "○○·· 0,2"],
    ["51", "1122", "2.340"],
    ["splitter", "evil", "●●●● 4,0"],
    ["splitter", "200 games"],
    ["minimax", "entropy", "first-consistent", "5,801", "5,722"],
    ["905 guesses", "proved", "○○·· 0,2"],
]


def run_cell(source, names):
    """Run a cell as a kernel does; return the value of its last line, an expression."""
    tree = ast.parse(source)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr), source
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.fixture(scope="module")
def values():
    """What the cells show, run in order in one namespace."""
    names = {}
    return [run_cell("".join(cell["source"]), names) for cell in CODE]


def test_every_cell_shows_tables_with_pegs_and_names(values):
    for value, shown in zip(values, SHOWN, strict=True):
        fragment = Fragment(value._repr_html_())
        assert "table" in fragment.tags
        assert [each for each in shown if each not in fragment.text] == []


def test_notebook_is_stored_without_outputs():
    assert (NOTEBOOK["nbformat"], NOTEBOOK["nbformat_minor"]) == (4, 5)
    assert {len(cell["outputs"]) for cell in CODE} == {0}
    assert {cell["execution_count"] for cell in CODE} == {None}
    assert len({cell["id"] for cell in NOTEBOOK["cells"]}) == len(NOTEBOOK["cells"])
