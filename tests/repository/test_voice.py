"""The check of the project's English, with controls that break each rule."""

import pytest

from repository.voice import WEAK, check, findings

FORMS = {
    "module": '"""{} it is."""\n',
    "class": 'class A:\n    """{} it is."""\n',
    "function": 'def f():\n    """{} it is."""\n',
    "async method": 'class A:\n    async def f(self):\n        """{} it is."""\n',
    "attribute": 'x = 1\n"""{} it is."""\n',
    "annotated attribute": 'class A:\n    x: int = 1\n    """{} it is."""\n',
}
RATES = ("# 1,400 a second", "# 0.2 ms a commit", "# 5 s a game", "x = f'{n} ms a guess'", "# once a second")
NO_RATES = ("# 1,400 per second", "# takes about a second, 4x8 a minute", "# between two requests a connection is open")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("word", WEAK)
def test_weak_beginning_is_found(form, word):
    [line] = findings(FORMS[form].format(word), "a.py")
    assert line.startswith("a.py:")
    assert word in line


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("word", ["Return what", "Officers", "Asking", "The table"])
def test_other_beginnings_pass(form, word):
    assert findings(FORMS[form].format(word), "a.py") == []


@pytest.mark.parametrize("line", RATES)
def test_rate_without_per_is_found(line):
    assert len(findings(line, "a.py")) == 1


@pytest.mark.parametrize("line", NO_RATES)
def test_rate_with_per_passes(line):
    assert findings(line, "a.py") == []


def test_project_keeps_the_voice():
    assert check() == []
