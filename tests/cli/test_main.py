"""The command as a whole: help, version, and its exit."""

import gc
import inspect
import io
import logging
import os
import pkgutil
import platform
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest
from rich.console import Console

import evilpegs.commands
from evilpegs.commands import COMMANDS, GROUPS, HELP_GROUPS
from evilpegs.main import main, report_kernels
from evilpegs_clients.strategies.registry import STRATEGIES
from support.patience import PATIENCE

FRIDAY = """
[ladders.friday]
rules = "4x6"
codemaker = "fixed"
guess_limit = 10
opens = 2026-11-27T10:00:00Z
closes = 2026-11-27T11:00:00Z
"""
RECORD = Path(__file__).parent / "snapshots/files/cut.jsonl"
LOGGER = logging.getLogger("evilpegs_game")
HEAVY = (
    *("alembic", "dask", "distributed", "matplotlib", "numba", "numpy"),
    *("pydantic", "sqlalchemy", "structlog", "websockets"),
)


def test_help_lists_every_command(run):
    result = run("--help")
    assert result.status == 0
    assert all(f" {name} " in result.out for name in COMMANDS)
    assert result.err == ""


def test_help_groups_every_command(run):
    shown = run("--help").out
    places = [shown.index(f"─ {title} ─") for title in HELP_GROUPS]
    assert places == sorted(places)
    grouped = [name for names in HELP_GROUPS.values() for name in names]
    assert sorted(grouped) == sorted([*COMMANDS, *GROUPS])
    lines = [line.split()[1] for line in shown.splitlines() if line.startswith("│ ") and line[2].isalpha()]
    assert lines == grouped


@pytest.mark.parametrize("words", [[], ["duel"], ["round"], ["round", "open"]])
def test_help_is_also_a_word(run, words):
    assert run("help", *words) == run(*words, "--help")


def test_help_of_unknown_command_is_refused(run):
    assert "'nosuch'" in run("help", "nosuch").complaint


def test_version_has_a_short_option(run):
    assert run("-V") == run("--version")


QUICK = ("duel", "first-consistent", "--rules", "2x2", "--json")


@pytest.mark.parametrize("words", [("--quiet", *QUICK), (*QUICK, "--quiet"), (*QUICK, "--no-color", "--quiet")])
def test_options_of_every_command_stand_anywhere(run, words):
    assert run(*words) == run(*QUICK)
    assert not {"EVILPEGS_QUIET", "NO_COLOR", "EVILPEGS_CONFIG"} & set(os.environ)


def test_quiet_leaves_out_notes_but_no_error(run):
    assert "codes" in run("solve", "--rules", "2x2").err
    assert run("solve", "--rules", "2x2", "--quiet").err == ""
    assert run("solve", "--rules", "2", "--quiet").complaint


def test_words_after_the_end_of_options_are_arguments(run):
    assert "'--quiet'" in run("duel", "--rules", "2x2", "--", "--quiet").complaint


@pytest.mark.parametrize("option", [["--no-color"], []])
def test_no_color_is_heeded(option, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    seen = []
    monkeypatch.setattr("evilpegs.commands.certify.certify_tree", lambda _: seen.append(Console().no_color) or 1 / 0)
    monkeypatch.setattr("evilpegs.commands.certify.read_tree", lambda _: None)
    with pytest.raises(ZeroDivisionError):
        main(["certify", "x", *option])
    assert seen == [bool(option)]


class TestConfig:
    """`--config FILE` names the file of settings, instead of `evilpegs.toml`."""

    @pytest.fixture
    def ladders(self, run, tmp_path):
        file = tmp_path / "mine.toml"

        def ladders(text, *words):
            file.write_text(text)
            return run("ladders", "--json", *(words or ("--config", str(file))))

        return ladders

    def test_named_file_is_read(self, ladders):
        shown = ladders(FRIDAY).document["ladders"]
        assert "friday" in {ladder["id"] for ladder in shown}

    def test_variable_names_file_too(self, ladders, tmp_path, monkeypatch):
        monkeypatch.setenv("EVILPEGS_CONFIG", str(tmp_path / "mine.toml"))
        assert ladders(FRIDAY) == ladders(FRIDAY, "--quiet")

    def test_unknown_key_is_named_with_the_file(self, ladders, tmp_path):
        complaint = ladders("prot = 1\n").complaint
        assert str(tmp_path / "mine.toml") in complaint
        assert all(word in complaint for word in ("prot", "did you mean port?"))

    @pytest.mark.parametrize("words", [["--config"], ["--config", "nosuch.toml"], ["--config=nosuch.toml"]])
    def test_missing_file_is_refused(self, run, words):
        assert "--config" in run("certify", "x.tree", *words).complaint


@pytest.mark.parametrize(
    "words",
    [["ladders"], ["bot", "minimax", "--server", "ws://127.0.0.1:9/v1"], ["feed", "--server", "ws://127.0.0.1:9/v1"]],
    ids=str,
)
def test_empty_variables_change_nothing(run, monkeypatch, words):
    without = run(*words)
    sources = Path(inspect.getfile(main)).parent.rglob("*.py")
    names = {name for file in sources for name in re.findall(r"EVILPEGS_[A-Z_]+[A-Z]", file.read_text())}
    for name in names:
        monkeypatch.setenv(name, "")
    assert run(*words) == without
    assert {name for name in names if os.environ.get(name) != ""} == set()
    assert {"EVILPEGS_SERVER", "EVILPEGS_NAME", "EVILPEGS_MQTT"} <= names


@pytest.mark.parametrize("name", COMMANDS)
def test_help_describes_every_option(run, name):
    result = run(name, "--help")
    assert result.status == 0
    assert f"evilpegs {name}" in result.out
    options = [line.split("│")[1] for line in result.out.splitlines() if line.startswith("│ --")]
    assert all(len(option.split()) > 2 for option in options)


def test_help_names_every_strategy(run):
    text = " ".join(run("bot", "--help").out.replace("│", " ").split())
    assert all(name in text for name in STRATEGIES)


def functions():
    """Yield the module, the function and the line in the table of each command."""
    for names in HELP_GROUPS.values():
        for name, line in names.items():
            module = import_module(f"evilpegs.commands.{name.replace('-', '_')}")
            for function, text in GROUPS[name].items() if name in GROUPS else [(name.replace("-", "_"), line)]:
                yield module, function, text


def test_table_has_the_first_paragraph_of_each_docstring():
    for module, function, line in functions():
        paragraph = inspect.getdoc(getattr(module, function)).partition("\n\n")[0]
        assert " ".join(paragraph.split()) == line, function


def test_table_names_every_module():
    names = {module.name for module in pkgutil.iter_modules(evilpegs.commands.__path__)}
    assert names == {name.replace("-", "_") for name in (*COMMANDS, *GROUPS)}


@pytest.mark.parametrize("words", [["bot"], ["round", "open"]])
def test_page_of_command_has_its_whole_docstring(run, words):
    for _ in range(2):  # the page may not change what the list shows
        page, listed = (" ".join(run(*words[:end], "--help").out.split()) for end in (None, -1))
        function = getattr(import_module(f"evilpegs.commands.{words[0]}"), "_".join([*words[1:], words[0]]))
        _, *paragraphs = inspect.getdoc(function).partition("\n\nArgs:\n")[0].split("\n\n")
        assert paragraphs
        for paragraph in paragraphs:
            assert " ".join(paragraph.split()) in page
            assert " ".join(paragraph.split()) not in listed


def test_version_names_libraries(run):
    out = run("--version").out
    assert out.startswith("evilpegs 0.2.0 ")
    assert all(f"{library} {version(library)}" in out for library in ("numpy", "numba"))
    assert platform.python_version() in out


def test_command_without_arguments_shows_help(run):
    assert run().out == run("--help").out


def test_help_imports_nothing_heavy():
    calls = [["--help"], ["-h"], [], ["--version"], ["srve"]]
    script = (
        f"import sys; from evilpegs.main import main; print(*map(main, {calls!r}), file=sys.stderr); "
        f"print(*sorted(sys.modules.keys() & set({HEAVY!r})), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stderr.splitlines()[1:] == ["0 0 0 0 2", ""]


class FailingOutput(io.StringIO):
    """An output whose use raises an error."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def write(self, text):
        raise self.error


def test_interrupt_is_quiet(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdout", FailingOutput(KeyboardInterrupt()))
    assert main(["ladders"]) == 130
    assert capsys.readouterr() == ("", "")


def run_unread(arguments, unread, unbuffered=""):
    """Run the command in a process, some of whose outputs are a pipe without a reader; return status and output."""
    reading, writing = os.pipe()
    os.close(reading)
    outputs = {name: writing if name in unread else subprocess.PIPE for name in ("stdout", "stderr")}
    done = subprocess.run(
        [sys.executable, "-m", "evilpegs", *arguments],
        env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
        check=False,
        **outputs,
    )
    os.close(writing)
    return done.returncode, (done.stdout or b"") + (done.stderr or b"")


@pytest.mark.parametrize(
    ("arguments", "unread", "unbuffered"),
    [
        (("ladders",), ("stdout",), ""),
        (("ladders",), ("stdout", "stderr"), "1"),
        (("ladders", "--json"), ("stdout",), ""),
        (("verify", str(RECORD)), ("stdout",), ""),
        (("verify", str(RECORD), "--json"), ("stdout",), "1"),
        (("solve", "--rules", "2x2"), ("stderr",), ""),
        (("verify", "--help"), ("stdout",), ""),
        (("--version",), ("stdout", "stderr"), ""),
        (("play", "--daily"), ("stdout",), ""),
    ],
)
def test_closed_pipe_is_quiet(arguments, unread, unbuffered):
    assert run_unread(arguments, unread, unbuffered) == (141, b"")


def test_read_output_keeps_its_status():
    """The control: the record is not finished, which is status 3, and nobody reads the notes."""
    status, printed = run_unread(("verify", str(RECORD)), ("stderr",))
    assert status == 3
    assert printed


@pytest.mark.parametrize("unread", ["stdout", "stderr"])
def test_closed_pipe_hides_no_error(unread):
    status, printed = run_unread(("srve",), (unread,))
    assert (status, len(printed.splitlines())) == (2, int(unread == "stdout"))


def test_full_output_device_is_reported():
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "evilpegs", "ladders"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("evilpegs: ")


@pytest.mark.parametrize("closed", [["stdout"], ["stderr"], ["stdout", "stderr"]])
def test_output_closed_before_start_is_ignored(capsys, monkeypatch, closed):
    for name in closed:
        monkeypatch.setattr(sys, name, None)  # Python's sign of it
    assert main(["ladders"]) == 0
    for name in closed:
        getattr(sys, name).close()  # is /dev/null now
    assert capsys.readouterr().err == ""


@pytest.mark.full
def test_process_without_any_output_ends_in_order():
    line = f"{sys.executable} -m evilpegs ladders 1>&- 2>&-"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_fault_of_program_is_not_hidden(monkeypatch):
    monkeypatch.setattr(sys, "stdout", FailingOutput(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        main(["ladders"])


def test_missing_extra_is_named():
    script = "import sys; sys.modules['sqlalchemy'] = None; from evilpegs.main import main; sys.exit(main())"
    command = [sys.executable, "-c", script, "leaderboard"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert "'.[server]'" in line


@pytest.mark.parametrize(("encoding", "bar"), [("ascii", "#"), ("latin-1", "#"), ("cp437", "█"), ("utf-8", "█")])
def test_marks_and_bars_are_shown_in_every_encoding(monkeypatch, encoding, bar):
    stream = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    for command in (["partition", "112"], ["evaluate", "minimax"], ["duel", "minimax", "--secret", "123"]):
        assert main([*command, "--rules", "3x3"]) == 0
    stream.flush()
    printed = stream.buffer.getvalue().decode(encoding)
    assert bar * 40 in printed
    assert "?" not in printed


def test_collection_of_garbage_goes_on_after_import(run):
    """It pauses while a command is imported, even if the arguments are wrong."""
    assert gc.isenabled()
    assert run("partition", "--rules", "4x6", "1122").status == 0
    assert gc.isenabled()
    assert run("partition", "--no-such-option").status == 2
    assert gc.isenabled()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("play", "classic"), "unexpected argument 'classic'; a ladder is named with --ladder classic; "
         "see: evilpegs play --help"),
        (("solve", "3x3"), "unexpected argument '3x3'; rules are named with --rules 3x3; see: evilpegs solve --help"),
        (("ladders", "3x3"), "unexpected argument '3x3'; see: evilpegs ladders --help"),
        (("partition", "4x6", "1122"), "not a code: '4x6'; rules are named with --rules 4x6"),
        (("evaluate", "minimax", "4x6"), "no strategy '4x6'; rules are named with --rules 4x6"),
        (("ladders", "classic"), "unexpected argument 'classic'; see: evilpegs ladders --help"),
        (("tree", "minimax", "--rules", "clasic"), "not rules: 'clasic'; did you mean classic?"),
        (("duel", "minimax", "--codemaker", "Evil"),
         "--codemaker must be fixed, evil or devil, not 'Evil'; did you mean evil? see: evilpegs duel --help"),
        (("tree", "minimax", "--guess", "1122"), "there is no option '--guess'; see: evilpegs tree --help"),
        (("tree", "minimax", "--rulse", "4x6"),
         "there is no option '--rulse'; did you mean --rules? see: evilpegs tree --help"),
        (("feed", "--mqtt-user", "bob"), "--mqtt-user needs --mqtt"),
        (("duel", "minimax", "--codemaker", "devil", "--rules", "2x2", "--solved", "lost/x"),
         "cannot write solved positions at lost/x: No such file or directory; name another file"),
    ],
)  # fmt: skip
def test_wrong_command_line_names_remedy(run, arguments, complaint):
    result = run(*arguments)
    assert (result.status, result.out, result.complaint) == (2, "", complaint)


@pytest.fixture
def logger():
    """The logger of the game, without the handler that a server in this process may have left; restored at the end."""
    for handler in [each for each in logging.getLogger().handlers if type(each) is logging.StreamHandler]:
        logging.getLogger().removeHandler(handler)
    level, handlers = LOGGER.level, list(LOGGER.handlers)
    LOGGER.handlers.clear()
    yield LOGGER
    LOGGER.setLevel(level)
    LOGGER.handlers[:] = handlers


@pytest.mark.parametrize("quiet", ["", "1"])
def test_warning_is_reported_once_unless_quiet(logger, capsys, monkeypatch, quiet):
    monkeypatch.setenv("EVILPEGS_QUIET", quiet)
    report_kernels()
    report_kernels()
    LOGGER.warning("compiling")
    assert capsys.readouterr().err == "evilpegs: compiling\n" * (not quiet)
