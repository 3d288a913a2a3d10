"""tests/components.sh: what a group of tests needs on a machine that has none of it."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def named(tmp_path):
    """Return the packages that the script names for a group to a user who may not install them."""
    (tmp_path / "id").write_text("#!/bin/sh\necho 1000\n")
    (tmp_path / "id").chmod(0o700)

    def named(group):
        command, bare = ["/bin/sh", "tests/components.sh", group], {"PATH": str(tmp_path)}
        done = subprocess.run(command, cwd=ROOT, env=bare, capture_output=True, text=True, check=True)
        assert done.stdout == ""
        return set(done.stderr.partition("(apt install")[2].removesuffix(")\n").split())

    return named


@pytest.mark.parametrize(
    ("group", "needed", "spared"),
    [
        ("test", {"nodejs", "gcc"}, {"npm", "haproxy", "zsh"}),
        ("page", {"nodejs", "npm", "zbar-tools"}, {"gcc", "postgresql"}),
        ("all", {"nodejs", "npm", "gcc", "zsh", "fish", "groff-base"}, set()),
    ],
)
def test_group_gets_what_it_needs_and_no_more(named, group, needed, spared):
    assert needed <= named(group)
    assert not spared & named(group)
