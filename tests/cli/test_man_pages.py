"""The manual pages: a page per command with all of its help, in roff that every formatter reads."""

import inspect
import re
import shutil
import subprocess
import sys

import pytest

from evilpegs.commands import GROUPS
from evilpegs.help_pages import examples
from evilpegs.main import app
from evilpegs.man_pages import man_pages
from support.commands import FUNCTIONS, command_function
from support.patience import PATIENCE
from support.requirements import require

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION"]
ESCAPES = {"e": "\\", "-": "-", "(aq": "'", "(ga": "`", "(ha": "^", "(ti": "~", "(dq": '"', "&": "", "fB": "", "fR": ""}


@pytest.fixture(scope="module")
def pages():
    return dict(man_pages(app))


def read(page):
    """Return the text of a page as a formatter reads it, a line per line; no request or escape is unknown."""
    lines = []
    for line in page.splitlines():
        request = re.fullmatch(r"\.(TH|SH|PP|TP|nf|fi)\b ?(.*)", line)
        assert request or not line.startswith((".", "'")), line
        text = request[2] if request else line
        assert text.isascii()
        parts = re.split(r"\\(\[u([0-9A-F]{4,5})\]|\(..|f[BR]|[e&-])", text)
        assert not any("\\" in plain for plain in parts[::3])
        escapes = zip(parts[1::3], parts[2::3], strict=True)
        codes = [chr(int(code, 16)) if code else ESCAPES[name] for name, code in escapes]
        lines.append("".join(a + b for a, b in zip(parts[::3], [*codes, ""], strict=True)))
    return lines


def test_every_command_and_group_has_a_page(pages):
    names = ["evilpegs", *(f"evilpegs-{'-'.join(path)}" for path in (*FUNCTIONS, *((group,) for group in GROUPS)))]
    assert sorted(pages) == sorted(f"{name}.1" for name in names)


@pytest.mark.parametrize("path", FUNCTIONS, ids=" ".join)
def test_page_has_the_help_of_its_command(run, monkeypatch, pages, path):
    name = f"evilpegs-{'-'.join(path)}"
    lines = read(pages[f"{name}.1"])
    titles = [line.removeprefix(".SH ") for line in pages[f"{name}.1"].splitlines() if line.startswith(".SH")]
    assert titles[:3] == SECTIONS
    assert titles[-2:] == ["EXAMPLES", "EVERY COMMAND"]
    monkeypatch.setenv("COLUMNS", "10000")
    usage, *help_lines = run(*path, "--help").out.splitlines()
    assert lines[4] == usage.removeprefix("Usage: ")
    for paragraph in inspect.getdoc(command_function(path)).partition("\n\nArgs:\n")[0].split("\n\n"):
        text = " ".join(paragraph.split()).replace("`", "")
        assert text in lines or f"{name} - {text}" in lines
    options = re.findall(r"(?m)^│ (?:\* )? *(--\S+)", "\n".join(help_lines))
    assert [line.split(",")[0].split()[0] for line in lines if line.startswith("--")] == options
    assert [line for line in lines if line in examples(path)] == examples(path)


@pytest.mark.full
def test_groff_renders_every_page_without_a_warning(pages, tmp_path):
    require(shutil.which("groff"), "groff is missing")
    for name, page in pages.items():
        (tmp_path / name).write_text(page)
    command = ["groff", "-man", "-ww", "-Tutf8", *sorted(pages)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stderr == ""
    assert "--candidates-only" in re.sub(".\x08", "", done.stdout)  # bold is struck twice


def test_command_writes_pages_for_man(run, tmp_path, pages):
    folder = tmp_path / "share/man/man1"
    for _ in range(2):  # the second replaces those of an earlier version
        assert run("docs", "--man", folder).status == 0
    assert {path.name: path.read_text() for path in folder.iterdir()} == pages


def test_folder_that_cannot_be_written_is_named(run, tmp_path):
    (tmp_path / "man1").touch()
    assert str(tmp_path / "man1") in run("docs", "--man", tmp_path / "man1").complaint


def test_pages_without_an_extra_are_those_of_the_other_commands(tmp_path):
    script = (
        "import sys; sys.modules['sqlalchemy'] = None; from evilpegs.main import main; "
        "sys.exit(main(['docs', '--man', sys.argv[1]]))"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], timeout=PATIENCE, check=True)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"evilpegs.1", "evilpegs-bot.1"} <= names
    assert "evilpegs-serve.1" not in names
