"""The examples for language models, with stand-ins for the few names that they import of mcp and inspect-ai."""

import re
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import evilpegs

EXAMPLES = Path(__file__).parents[2] / "examples"


def stand_in(monkeypatch, **modules):
    """Put modules with these names into `sys.modules`; ``a__b`` stands for a.b."""
    for name, names in modules.items():
        module = ModuleType(name.replace("__", "."))
        vars(module).update(names)
        monkeypatch.setitem(sys.modules, module.__name__, module)


class Server:
    def __init__(self, name, instructions):
        self.tools = {}

    def tool(self):
        return lambda function: self.tools.setdefault(function.__name__, function)


@pytest.fixture
def tools(monkeypatch):
    """The tools of the server by name."""
    stand_in(monkeypatch, mcp={}, mcp__server={"MCPServer": Server})
    return runpy.run_path(str(EXAMPLES / "mcp_server.py"))["server"].tools


def test_server_is_short():
    assert len((EXAMPLES / "mcp_server.py").read_text().splitlines()) <= 65


def test_model_plays_game_to_its_end(tools):
    assert "4x6" in tools["new_game"](codemaker="evil")
    position, answer = evilpegs.Position(evilpegs.Rules(4, 6)), ""
    while "seed" not in answer:
        code = evilpegs.format_code(position.first_candidate)
        answer = tools["guess"](code)
        position = position.after(position.first_candidate, evilpegs.Feedback.parse(answer.split(";")[0]))
    assert "solved. Score" in answer
    assert tools["board"]().splitlines()[-1] == f"{code}:4,0"
    again = evilpegs.Game("4x6", seed=re.search(r"seed (\w+)", answer)[1])
    for line in tools["board"]().splitlines():
        code, given = line.split(":")
        assert str(again.guess(code)) == given


def test_end_of_fixed_game_has_adjusted_score(tools):
    tools["new_game"](limit=1)
    assert re.search(r"Score [12], luck-adjusted -?\d+\.\d{3}, seed [0-9a-f]{16}", tools["guess"]("1122"))


def test_mistakes_of_model_are_answered(tools):
    assert tools["guess"]("1122") == tools["guess"]("1123")
    assert tools["board"]() == "no game yet"
    for wrong in ({"rules": "4z6"}, {"codemaker": "good"}, {"limit": 0}, {"rules": "12x14", "codemaker": "devil"}):
        assert tools["new_game"](**wrong).startswith("no game: ")
    tools["new_game"]()
    for wrong in ("1127", "112", "", "eleven"):
        assert tools["guess"](wrong).startswith("refused: ")
    assert tools["board"]() == ""


class Store(dict):
    def set(self, name, value):
        self[name] = value


def keyword(**arguments):
    return SimpleNamespace(**arguments)


@pytest.fixture
def inspected(monkeypatch):
    """The names of the task's file, and the store of its sample."""
    store, plain = Store(), lambda function: function
    stand_in(
        monkeypatch,
        inspect_ai={"Task": keyword, "task": plain},
        inspect_ai__dataset={"Sample": keyword},
        inspect_ai__scorer={"Score": keyword, "mean": str, "stderr": str, "scorer": lambda metrics: plain},
        inspect_ai__solver={"generate": str, "solver": plain, "use_tools": lambda *tools: tools},
        inspect_ai__tool={"tool": plain},
        inspect_ai__util={"store": lambda: store},
    )
    return SimpleNamespace(**runpy.run_path(str(EXAMPLES / "inspect_task.py")), kept=store)


async def play_sample(inspected, sample, codes):
    """Guess codes in a sample, and return the answers and the score."""
    inspected.kept.clear()
    state = SimpleNamespace(metadata=sample.metadata, store=inspected.kept)
    await inspected.begin()(state, None)
    answers = [await inspected.guess()(code) for code in codes]
    return answers, await inspected.scores()(state, None)


async def test_samples_are_games_of_their_seeds(inspected):
    task = inspected.codebreaking(games=3)
    assert [sample.id for sample in task.dataset] == [1, 2, 3]
    for sample in task.dataset:
        game = evilpegs.Game("4x6", "fixed", seed=sample.id)
        codes = ["1122", "3344", "5566"]
        answers, score = await play_sample(inspected, sample, codes)
        assert [answer.split(";")[0] for answer in answers] == [str(game.guess(code)) for code in codes]
        assert score.value == {"score": 11, "adjusted": pytest.approx(11 - game.luck)}


async def test_solved_sample_scores_its_guesses(inspected):
    (sample,) = inspected.codebreaking(games=1, limit=6).dataset
    candidates = evilpegs.Position(evilpegs.Rules(4, 6)).candidates.T.tolist()
    secret = next(code for code in candidates if solves(tuple(code)))
    codes = ["1122", "1127", evilpegs.format_code(secret), "1122"]
    answers, score = await play_sample(inspected, sample, codes)
    assert answers[0].endswith("; 5 left")
    assert answers[1].startswith("refused: ")
    assert answers[2] == "4,0; the game is over"
    assert answers[3].startswith("refused: ")
    assert score.value["score"] == 2


def solves(code):
    game = evilpegs.Game("4x6", "fixed", seed=1)
    game.guess(code)
    return game.solved


@pytest.mark.parametrize("rules", ["3x4", "4z6"])
def test_task_refuses_rules_without_luck(inspected, rules):
    with pytest.raises(ValueError, match=rules):
        inspected.codebreaking(rules=rules)


def test_prompt_says_the_rules(inspected):
    (sample,) = inspected.codebreaking(games=1, rules="4x10-distinct", limit=12).dataset
    assert "1234567890," in sample.input
    assert "not repeat" in sample.input
    assert "at most 12" in sample.input
