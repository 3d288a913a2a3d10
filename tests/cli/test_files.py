"""Names of files: what keeps a file from being written is reported before any work."""

import errno
import os

import pytest

from evilpegs import files as file_names
from evilpegs.commands import COMMANDS
from evilpegs.errors import CommandError
from evilpegs.files import RECORD, check_file_name, check_writable, failure_reason, write_csv, write_obstacle
from evilpegs.main import app
from evilpegs.options import FILE

FULL = "/dev/full"
"""A file that can be opened but not written to."""


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (".", os.strerror(errno.EISDIR)),
        ("lost/a", os.strerror(errno.ENOENT)),
        ("file/a", os.strerror(errno.ENOENT)),
        ("a\0b", failure_reason(ValueError())),
        ("x" * 5000, os.strerror(errno.ENAMETOOLONG)),
    ],
)
def test_obstacle_gives_reason_of_system(tmp_path, name, why):
    (tmp_path / "file").write_text("")
    assert write_obstacle(tmp_path / name) == why
    with pytest.raises(CommandError, match=f": {why};"):
        check_writable(str(tmp_path / name))


@pytest.mark.parametrize("name", ["here", "new"])
def test_obstacle_without_permission(tmp_path, monkeypatch, name):
    (tmp_path / "here").write_text("")
    asked = []
    monkeypatch.setattr(file_names.os, "access", lambda path, _: asked.append(path))
    assert write_obstacle(tmp_path / name) == os.strerror(errno.EACCES)
    assert asked == [tmp_path / name if name == "here" else tmp_path]


def test_check_writable_touches_nothing(tmp_path):
    (tmp_path / "here").write_text("kept")
    for name in ("here", "new"):
        check_writable(str(tmp_path / name))
    check_writable("-")
    assert [path.name for path in tmp_path.iterdir()] == ["here"]
    assert (tmp_path / "here").read_text() == "kept"


def test_check_name_refuses_empty_name():
    with pytest.raises(CommandError):
        check_file_name("")


def test_check_name_refuses_option():
    with pytest.raises(CommandError, match=r"\./--json"):
        check_file_name("--json")


def test_reason_is_message_of_system():
    assert failure_reason(FileExistsError(17, "File exists")) == "File exists"
    assert failure_reason(ValueError("4x99")) not in {"", "4x99"}


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t=", "\r="])
def test_csv_has_no_cell_that_a_spreadsheet_computes(tmp_path, sign):
    write_csv(str(tmp_path / "a"), [["a", -1, None, f"{sign}1+1"]])
    (row,) = (tmp_path / "a").read_text().splitlines()
    assert row in {f"a,-1,,'{sign}1+1", "a,-1,,?=1+1"}


def test_file_options_share_one_converter():
    options = [option for command in COMMANDS for option in app[command].assemble_argument_collection()]
    files = {option.name for option in options if option.parameter.converter is FILE.converter}
    written = {"--adversary", "--csv", "--journal", "--new", "--out", "--plot", "--record", "--records", "--solved"}
    assert files == written | {"--folder", "--junit", "--man", "--mqtt-ca-file", "--mqtt-password-file", "--publish"}
    values = [option for option in options if option.hint is not bool]  # `leaderboard --csv` writes to standard output
    rest = [option for option in values if option.name in files and option.parameter.converter is not FILE.converter]
    assert rest == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "--rules", "2x2", "--out"),
        ("solve", "--rules", "2x2", "--journal"),
        ("evaluate", "minimax", "--rules", "2x2", "--csv"),
        ("evaluate", "minimax", "--rules", "2x2", "--journal"),
        ("evaluate", "minimax", "--rules", "2x2", "--plot"),
        ("tree", "minimax", "--rules", "2x2", "--out"),
        ("duel", "minimax", "--rules", "2x2", "--codemaker", "devil", "--solved"),
        ("replay", "last", "--record"),
    ],
)
def test_empty_name_after_option_is_refused(run, arguments):
    result = run(*arguments, "")
    assert (result.status, result.out) == (2, "")
    assert arguments[-1] in result.complaint
    assert not any(os.strerror(number) in result.complaint for number in (errno.EISDIR, errno.ENOENT))


@pytest.mark.parametrize("command", ["certify", "verify"])
def test_empty_name_of_input_is_refused(run, command):
    result = run(command, "")
    assert (result.status, result.out) == (2, "")
    assert " - " in result.complaint
    assert not any(os.strerror(number) in result.complaint for number in (errno.EISDIR, errno.ENOENT))


@pytest.mark.parametrize("name", [".", "lost/a.tree"])
def test_solve_checks_output_before_work(run, tmp_path, name):
    result = run("solve", "--rules", "3x3", "--out", name)
    assert result.status == 2
    assert f" {name}: " in result.complaint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("option", "name"), [("--csv", "a.csv"), ("--plot", "a.svg")])
def test_evaluate_checks_outputs_before_work(run, tmp_path, option, name):
    (tmp_path / name).mkdir()
    result = run("evaluate", "minimax", "--rules", "3x3", option, name)
    assert (result.status, result.out) == (2, "")
    assert f"{name}: {os.strerror(errno.EISDIR)};" in result.complaint


@pytest.mark.parametrize(
    "arguments",
    [
        ("tree", "minimax", "--rules", "2x2", "--out"),
        ("evaluate", "minimax", "--rules", "2x2", "--csv"),
        ("evaluate", "minimax", "--rules", "2x2", "--plot"),
    ],
)
def test_full_device_is_reported(run, tmp_path, arguments):
    (tmp_path / "full.svg").symlink_to(FULL)
    result = run(*arguments, "full.svg")
    assert result.status == 2
    assert "full.svg" in result.complaint
    assert os.strerror(errno.ENOSPC) in result.complaint


@pytest.mark.parametrize("text", ["import os\n", "# a tree\nimport os\n", "\n", '{"type":"match_started"}\n', "\xff"])
@pytest.mark.parametrize("command", [("tree", "minimax"), ("solve",)])
def test_tree_replaces_no_file_of_another_kind(run, tmp_path, command, text):
    (tmp_path / "here").write_text(text)
    result = run(*command, "--rules", "2x2", "--out", "here")
    assert (result.status, result.out) == (2, "")
    assert result.complaint == "here exists and is not a tree; choose another file"
    assert (tmp_path / "here").read_text() == text


@pytest.mark.parametrize("text", ["", "evilpegs tree 1\nrules 1x2\n1\n", "\n# mine\nevilpegs tree 1\n"])
def test_tree_replaces_tree_and_empty_file(run, tmp_path, text):
    (tmp_path / "here").write_text(text)
    assert run("tree", "minimax", "--rules", "2x2", "--out", "here").status == 0
    assert (tmp_path / "here").read_text().startswith("evilpegs tree 1\nrules 2x2\n")


@pytest.mark.parametrize("text", ["import os\n", "evilpegs tree 1\n", "[]\n", '{"type":"turn"}\n', "\n"])
def test_record_replaces_no_file_of_another_kind(run, tmp_path, text):
    (tmp_path / "here").write_text(text)
    result = run("replay", "last", "--record", "here")
    assert (result.status, result.complaint) == (2, "here exists and is not a record; choose another file")
    assert (tmp_path / "here").read_text() == text


def test_record_may_replace_record(tmp_path):
    (tmp_path / "here").write_text('{"at":1,"type":"match_started"}\n')
    check_writable(str(tmp_path / "here"), RECORD)
