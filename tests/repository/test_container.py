"""The Containerfile, whose instructions run in a folder: the wheel in a bare environment, its demo, and its server."""

import json
import os
import re
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from support.patience import PATIENCE

ROOT = Path(__file__).parents[2]
BUILD_PATIENCE = 4 * PATIENCE
"""A build installs all requirements, and its demo compiles kernels, and tests beside it take their share."""
KERNELS = "/opt/evilpegs/bin/evilpegs kernels"
FOREIGN = ("COVERAGE", "EVILPEGS", "NUMBA", "PYTHON", "VIRTUAL_ENV", "XDG")


class Container:
    """The instructions of the Containerfile with `/opt` and `/data` below ``root``, and what they have built."""

    def __init__(self, root):
        self.root = root
        text = (ROOT / "Containerfile").read_text().replace("\\\n", " ")
        self.instructions = [tuple(line.split(maxsplit=1)) for line in text.splitlines() if re.match("[A-Z]", line)]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
        values = dict(value.split("=", 1) for value in self.all("ENV"))
        self.environment = kept | {name: self.inside(value) for name, value in values.items()}
        self.environment["EVILPEGS_HOST"] = "127.0.0.1"
        self.environment["PIP_NO_COMPILE"] = "1"  # of all packages; what runs here is compiled when it is imported

    def all(self, name):
        return [value for word, value in self.instructions if word == name]

    def inside(self, text):
        return re.sub(r"/(opt|data)\b", rf"{self.root}/\1", text)

    def build(self):
        for command in self.all("RUN"):
            if command != KERNELS:  # it compiles for minutes what `make` has compiled for other tests
                self.run(command, cwd=ROOT)

    def run(self, command, **options):
        return subprocess.run(
            ["sh", "-c", self.inside(command)], **({"cwd": self.root} | options),
            env=self.environment, stdout=subprocess.PIPE, text=True, timeout=BUILD_PATIENCE, check=True,
        ).stdout  # fmt: skip

    def health(self, port):
        (check,) = self.all("HEALTHCHECK")
        command = self.inside(check.partition("CMD ")[2].replace("8765", str(port)))
        done = subprocess.run(["sh", "-c", command], stderr=subprocess.DEVNULL, timeout=PATIENCE, check=False)
        return done.returncode

    def start(self):
        (command,) = map(json.loads, self.all("CMD"))
        return subprocess.Popen(
            [self.inside(word) for word in command], cwd=self.root / "data", stdout=subprocess.PIPE, text=True,
            env=self.environment | {"EVILPEGS_PORT": "0", "EVILPEGS_SITE_PORT": "0"},
        )  # fmt: skip


@pytest.fixture(scope="module")
def container():
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # too large for memory
        container = Container(Path(folder))
        container.build()
        yield container


def test_image_has_its_kernels_where_they_are_looked_for(container):
    words = [*map(" ".join, container.instructions)]
    assert words.index("ENV NUMBA_CACHE_DIR=/opt/evilpegs/kernels") < words.index(f"RUN {KERNELS}")
    assert words.index(f"RUN {KERNELS}") < words.index("USER 10001:10001")


def test_wheel_has_its_documents_and_plays_demo(container):
    command = "/opt/evilpegs/bin/evilpegs"
    assert container.run(f"{command} docs trees") == (ROOT / "docs" / "trees.md").read_text()
    folder = Path(container.run(f"{command} docs --folder").strip())
    assert folder.is_relative_to(container.root / "opt")
    assert (folder / "examples" / "minimal_bot.py").read_text() == (ROOT / "examples" / "minimal_bot.py").read_text()
    assert "classic-evil" in container.run(f"{command} demo", cwd=container.root / "data")


def test_readme_of_wheel_has_no_relative_links(container):
    (metadata,) = container.root.glob("opt/evilpegs/lib/python*/site-packages/evilpegs-*/METADATA")
    text = metadata.read_text().partition("\n\n")[2]
    assert "`evilpegs docs strategies`" in text
    assert re.findall(r"\]\((?!https?:)[^)]*\)", text) == []
    assert re.findall(r"\]\((?!https?:)[^)]*\)", (ROOT / "README.md").read_text())


def test_server_of_container_is_healthy_and_keeps_data_in_volume(container):
    server = container.start()
    try:
        address = server.stdout.readline().split()[-1]
        port = re.search(r":(\d+)/", address)[1]
        assert container.health(port) == 0
        assert container.health(1) != 0
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=PATIENCE)
    finally:
        server.kill()
    assert server.returncode == 0
    assert (container.root / "data" / "evilpegs.sqlite3").exists()


def test_image_gets_neither_history_nor_environment():
    """Docker does not read `.containerignore`, and Podman reads `.dockerignore` if there is no other."""
    assert {".git", ".venv*"} <= set((ROOT / ".dockerignore").read_text().split())
    assert not (ROOT / ".containerignore").exists()


def test_server_of_container_is_not_root(container):
    (user,) = container.all("USER")
    assert [int(each) > 0 for each in user.split(":")] == [True, True]
    words = [word for word, _ in container.instructions]
    assert words.index("USER") > max(index for index, word in enumerate(words) if word == "RUN")
