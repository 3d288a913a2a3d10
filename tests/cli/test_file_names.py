"""What is wrong with the name of a file is known before anything is written to it."""

import pytest

from evilpegs import file_names
from evilpegs.errors import CommandError
from evilpegs.file_names import check_name, check_writable, obstacle, reason
from evilpegs.main import COMMANDS, app
from evilpegs.options import FILE

FULL = "/dev/full"
"""Can be opened, but nothing can be written to it."""


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (".", "Is a directory"),
        ("lost/a", "No such file or directory"),
        ("file/a", "No such file or directory"),
        ("a\0b", "there can be no such file"),
        ("x" * 5000, "File name too long"),
    ],
)
def test_what_keeps_a_file_from_being_written(tmp_path, name, why):
    (tmp_path / "file").write_text("")
    assert obstacle(tmp_path / name) == why
    with pytest.raises(CommandError, match=f"^cannot write .*: {why}; choose another file$"):
        check_writable(str(tmp_path / name))


@pytest.mark.parametrize("name", ["here", "new"])
def test_without_permission_it_is_refused(tmp_path, monkeypatch, name):
    (tmp_path / "here").write_text("")
    asked = []
    monkeypatch.setattr(file_names.os, "access", lambda path, _: asked.append(path))
    assert obstacle(tmp_path / name) == "Permission denied"
    assert asked == [tmp_path / name if name == "here" else tmp_path]


def test_a_file_that_can_be_written_is_not_touched(tmp_path):
    (tmp_path / "here").write_text("kept")
    for name in ("here", "new"):
        check_writable(str(tmp_path / name))
    check_writable("-")
    assert [path.name for path in tmp_path.iterdir()] == ["here"]
    assert (tmp_path / "here").read_text() == "kept"


def test_a_name_that_is_none():
    with pytest.raises(CommandError, match="the name of the file is empty"):
        check_name("")
    with pytest.raises(CommandError, match=r"--json stands where a file should; if it is one, write \./--json"):
        check_name("--json")
    assert reason(FileExistsError(17, "File exists")) == "File exists"


def test_every_option_for_a_file_refuses_an_empty_name():
    options = [option for command in COMMANDS for option in app[command.__name__].assemble_argument_collection()]
    files = {option.name for option in options if option.parameter.converter is FILE.converter}
    assert files == {"--csv", "--journal", "--out", "--plot", "--record", "--solved"}
    rest = [option for option in options if option.name in files and option.parameter.converter is not FILE.converter]
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
def test_an_empty_name_is_called_empty(run, arguments):
    result = run(*arguments, "")
    assert (result.status, result.out) == (2, "")
    assert result.complaint == f"the name of the file after {arguments[-1]} is empty; write one"


@pytest.mark.parametrize("command", ["certify", "verify"])
def test_an_empty_name_of_what_is_read(run, command):
    assert run(command, "").complaint.startswith("the name of the file is empty; write one, or - for standard input")


@pytest.mark.parametrize("name", [".", "lost/a.tree"])
def test_a_proof_is_not_begun_whose_tree_cannot_be_written(run, tmp_path, name):
    result = run("solve", "--rules", "3x3", "--out", name)
    assert result.status == 2
    assert result.complaint.startswith(f"cannot write {name}: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("option", "name"), [("--csv", "a.csv"), ("--plot", "a.svg")])
def test_an_evaluation_is_not_begun_whose_results_cannot_be_written(run, tmp_path, option, name):
    (tmp_path / name).mkdir()
    result = run("evaluate", "minimax", "--rules", "3x3", option, name)
    assert (result.status, result.out) == (2, "")
    assert result.complaint.endswith(f"{name}: Is a directory; choose another file")


@pytest.mark.parametrize(
    "arguments",
    [
        ("tree", "minimax", "--rules", "2x2", "--out"),
        ("evaluate", "minimax", "--rules", "2x2", "--csv"),
        ("evaluate", "minimax", "--rules", "2x2", "--plot"),
    ],
)
def test_what_is_only_found_out_by_writing_is_told_then(run, tmp_path, arguments):
    (tmp_path / "full.svg").symlink_to(FULL)
    result = run(*arguments, "full.svg")
    assert result.status == 2
    assert "full.svg" in result.complaint
    assert "No space left on device" in result.complaint
