"""The check of where docstrings stand, with controls that break its rule."""

import pytest

from repository.voice import check, findings


@pytest.mark.parametrize(
    "text",
    [
        'def _f():\n    """Do it."""\n',
        'async def _f():\n    """Do it."""\n',
        'class A:\n    def _f(self):\n        """Do it."""\n',
        'def f():\n    def _g():\n        """Do it."""\n',
    ],
)
def test_docstring_of_private_function_is_found(text):
    (line,) = findings(text, "a.py")
    assert line.startswith("a.py:")


@pytest.mark.parametrize(
    "text",
    [
        'def f():\n    """Do it."""\n',
        "def _f():\n    # why\n    pass\n",
        'class A:\n    def __f__(self):\n        """I."""\n',
    ],
)
def test_other_functions_pass(text):
    assert findings(text, "a.py") == []


def test_every_package_is_checked(tmp_path):
    """`make check` checks the project."""
    for name in ("game/a.py", "cli/evilpegs/commands/b.py", "tests/c.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text('def _f():\n    """Do it."""\n')
    assert [line.split(":")[0] for line in check(tmp_path)] == ["game/a.py", "cli/evilpegs/commands/b.py"]
