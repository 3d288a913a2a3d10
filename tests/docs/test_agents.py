"""docs/agents.md: its tables name what there is, its figures hold, and its commands start the examples."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import gymnasium
import pytest

import evilpegs
import evilpegs.gym
from evilpegs.gym_vector import GuessingVectorEnv
from support.patience import PATIENCE

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/agents.md").read_text()
MCP = """
class MCPServer:
    def __init__(self, name, instructions):
        self.tools = []
    def tool(self):
        return lambda function: self.tools.append(function.__name__) or function
    def run(self):
        print(*self.tools)
"""


def test_every_block_of_code_is_run():
    kinds = re.findall(r"^```(\w*)$", TEXT, re.MULTILINE)[::2]
    assert set(kinds) == {"python", "json"}
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert all(line.startswith((">>> ", "... ")) for block in blocks for line in block.splitlines()[:1])


def test_members_of_game_are_documented():
    table = TEXT[TEXT.index("| member |") : TEXT.index("A seed gives")]
    documented = set(
        re.findall(r"`(\w+)(?:\(code\))?`(?=[,` ].*?\|)", "\n".join(re.findall(r"^\|([^|]*\|)", table, re.M)))
    )
    attributes = {"rules", "limit", "codemaker", "live_sets"}  # what was passed
    game = evilpegs.Game("2x2")
    assert documented | attributes == {name for name in dir(game) if not name.startswith("_")}


def test_shapings_are_documented():
    assert set(re.findall(r'^\| `"(\w+)"`', TEXT, re.MULTILINE)) == set(get_args(evilpegs.gym.Shaping))


def test_configuration_starts_server(tmp_path):
    (block,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    server = json.loads(block)["mcpServers"]["evilpegs"]
    assert server["command"] == "python"
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text("")
    (tmp_path / "mcp" / "server.py").write_text(MCP)
    done = subprocess.run(
        [sys.executable, *server["args"]],
        cwd=ROOT,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert done.stdout.split() == ["new_game", "guess", "board"]


def test_files_of_documents_commands_exist():
    paths = re.findall(r"examples/\w+\.py", TEXT)
    assert paths
    assert all((ROOT / path).is_file() for path in paths)


@pytest.mark.parametrize("name", ["Evil", "Fixed"])
def test_documented_limit_of_codes_holds(name):
    assert "5,040 codes" in TEXT
    spaces = {rules: gymnasium.make(f"evilpegs/{name}-mini-v0", rules=rules).action_space for rules in ("4x8", "4x9")}
    assert isinstance(spaces["4x8"], gymnasium.spaces.Discrete)
    assert isinstance(spaces["4x9"], gymnasium.spaces.MultiDiscrete)


def test_documented_memory_of_vector_is_what_it_states():
    stated = f"{GuessingVectorEnv.bytes_needed('4x6', 1024, 10) / 1e6:.0f} MB"
    assert stated in TEXT
    assert stated in GuessingVectorEnv.__doc__
