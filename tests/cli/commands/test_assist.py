"""`evilpegs assist`: reading input, advice, the dialog and its screen."""

import asyncio
import io
import os
import re
import signal
import termios
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from evilpegs.commands.assist import MAX_CODES, AssistDialog
from evilpegs.commands.assist.input import AssistCommand, RowChange, parse_feedback, parse_line
from evilpegs.commands.assist.screen import AssistScreen
from evilpegs.errors import CommandError
from evilpegs_clients.terminal.prompt import Prompt
from evilpegs_game.analysis.advice import Advice, Adviser, AssistHistory, Contradiction, Suggestion
from evilpegs_game.analysis.turns import Effort
from evilpegs_game.codes import code_at, format_code, parse_code
from evilpegs_game.errors import GameError, IllegalCodeError, MalformedError
from evilpegs_game.feedback import Feedback, Turn, feedback, parse_turns
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules
from support.examples import share
from support.patience import PATIENCE

CLASSIC = Rules(4, 6)
NONE_TO_SPARE = Effort(feedback_budget=0, solver_budget=0, counted_codes=0)


def row(code, black, white, rules=CLASSIC):
    return Turn(parse_code(code, rules), Feedback(black, white))


@pytest.mark.parametrize(
    "typed",
    ["1122 1,2", "1122:1,2", " 1122  1, 2 ", "1122 1 2", "1 1 2 2 1,2", "1 1 2 2 1 2", "1122 1b2w", "1122 1b 2w",
     "1122 1 black, 2 whites", "1122 bww", "1122 b w w", "1122 B WW", "1122 1;2", "1122: 1/2"],
)  # fmt: skip
def test_parse_line_accepts_spellings_of_rows(typed):
    assert parse_line(typed, CLASSIC) == row("1122", 1, 2)


@pytest.mark.parametrize(
    ("typed", "given"),
    [("-", (0, 0)), ("0", (0, 0)), ("none", (0, 0)), ("0,0", (0, 0)), ("2w", (0, 2)), ("3b", (3, 0)), ("w", (0, 1)),
     ("bb", (2, 0)), ("2 white", (0, 2)), ("4 black", (4, 0))],
)  # fmt: skip
def test_parse_feedback_takes_missing_counts_as_zero(typed, given):
    assert parse_feedback(typed, 4) == Feedback(*given)


@pytest.mark.parametrize("typed", ["10", ",", "1,", "1.2", "x", "wb", "1,2,3", "-1,2", "", "b2", "1b 2b"])
def test_parse_feedback_refuses_ambiguous_text(typed):
    with pytest.raises(MalformedError, match=re.escape(repr(typed))):
        parse_feedback(typed, 4)


def test_parse_line_takes_pegs_before_feedback():
    rules = Rules(3, 34)
    assert parse_line("BWB b", rules) == row("BWB", 1, 0, rules)
    assert parse_line("B W B b", rules) == row("BWB", 1, 0, rules)
    assert parse_line("bwb", rules) == parse_code("BWB", rules)
    assert parse_line("1 1", Rules(2, 3)) == (0, 0)
    assert parse_line("1 1 1 0", Rules(2, 3)) == row("11", 1, 0, Rules(2, 3))


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("", AssistCommand.SHOW),
        ("  ", AssistCommand.SHOW),
        ("rows", AssistCommand.ROWS),
        ("undo", AssistCommand.UNDO),
        ("?", AssistCommand.HELP),
        ("q", AssistCommand.QUIT),
        ("exit", AssistCommand.QUIT),
        ("QUIT", AssistCommand.QUIT),
        ("codes", AssistCommand.CODES),
        ("new", AssistCommand.NEW),
    ],
)
def test_parse_line_knows_commands(typed, command):
    assert parse_line(typed, CLASSIC) is command


def test_parse_line_takes_upper_case_as_code():
    rules = Rules(3, 34)
    assert parse_line("new", rules) is AssistCommand.NEW
    assert parse_line("NEW", rules) == parse_code("NEW", rules)


@pytest.mark.parametrize(
    ("typed", "change"),
    [
        ("change 2 1122 1,0", RowChange(2, (0, 0, 1, 1), Feedback(1, 0))),
        ("change 2 1 1 2 2 1,0", RowChange(2, (0, 0, 1, 1), Feedback(1, 0))),
        ("change 12 1,0", RowChange(12, None, Feedback(1, 0))),
        ("change 1 bw", RowChange(1, None, Feedback(1, 1))),
    ],
)
def test_parse_line_reads_changes(typed, change):
    assert parse_line(typed, CLASSIC) == change


@pytest.mark.parametrize(
    ("typed", "error", "named"),
    [
        ("112 1,0", GameError, ["'112'", "3", "4x6", "4"]),
        ("1127", GameError, ["'1127'", "4x6", "123456"]),
        ("whet?", GameError, ["'whet?'", "123456"]),
        ("1122 ١,٠", MalformedError, ["'١,٠'"]),
        ("1122 4,1", MalformedError, ["4,1"]),
        ("1122 10", MalformedError, ["'10'"]),
        ("change", CommandError, ["change 2 1122 1,0"]),
        ("change 2", CommandError, ["change 2 1122 1,0"]),
        ("change x 1,0", CommandError, ["change 2 1122 1,0"]),
        ("change ² 1,0", CommandError, ["change 2 1122 1,0"]),
        ("change 1 1122", CommandError, ["change 1 1122 BLACK,WHITE"]),
        ("change 1 5,0", MalformedError, ["5,0", "4"]),
        ("change 1 112 1,0", IllegalCodeError, ["'112'", "3"]),
    ],
)
def test_parse_line_names_wrong_input(typed, error, named):
    with pytest.raises(error) as caught:
        parse_line(typed, CLASSIC)
    assert all(value in str(caught.value) for value in named)
    assert "\n" not in str(caught.value)


PIECES = ["1", "2", ",", "b", "w", "change", "undo", "0", "9", ":", "-", "x"]


@given(st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_parse_line_reads_or_refuses_any_text(typed):
    complaint = ""
    try:
        assert isinstance(parse_line(typed, Rules(2, 3)), AssistCommand | Turn | RowChange | tuple)
    except (GameError, CommandError) as error:
        complaint = str(error)
    assert "\n" not in complaint
    assert len(complaint) < 300


TYPED = st.sampled_from(
    ["11 1,0", "12 0,1", "22 0,0", "33 2,0", "12", "undo", "change 1 0,0", "change 2 21 1,0", "rows"]
)


@settings(max_examples=share(12))
@given(st.lists(TYPED | st.sampled_from(["codes", "new", "help", "", "?", "change 9 1,1", "33 1,1", "nonsense"])))
def test_dialog_survives_any_lines(lines):
    typed, out = iter(lines), io.StringIO()
    dialog = AssistDialog(Rules(2, 3), AssistScreen(Prompt(Console(file=out, width=100))), lambda _: next(typed, None))
    dialog.run(AssistHistory(Rules(2, 3)))
    assert next(typed, None) is None
    assert out.getvalue().startswith("2x3: 9 ")


def test_history_adds_changes_and_undoes_rows():
    first, second = row("1122", 1, 0), row("3344", 0, 1)
    history = AssistHistory(CLASSIC).add(first).add(second)
    assert history.rows == (first, second)
    assert history.undo().rows == (first,)
    assert history.change(1, second).rows == (second, second)
    assert not history.is_solved
    assert history.add(row("1122", 4, 0)).is_solved
    with pytest.raises(GameError):
        AssistHistory(CLASSIC).undo()


@pytest.mark.parametrize(
    ("rows", "number", "named"),
    [(0, 1, ["1"]), (1, 2, ["2", "1"]), (2, 3, ["3", "1", "2"]), (2, 0, ["0", "1", "2"])],
)
def test_history_names_missing_row(rows, number, named):
    with pytest.raises(GameError) as caught:
        AssistHistory(CLASSIC, (row("1122", 1, 0),) * rows).row(number)
    assert re.findall("[0-9]+", str(caught.value)) == named


def advised(rules, *turns, **options):
    parsed = Rules.parse(rules)
    return Adviser(parsed, Random, **options).advise(AssistHistory(parsed, parse_turns(turns, parsed)))


def test_adviser_finds_best_guesses():
    found = advised("3x3", "112:1,1")
    codes = [code_at(index, Rules(3, 3)) for index in range(27)]
    left = [code for code in codes if feedback((0, 0, 1), code) == (1, 1)]
    assert (found.codes, found.listed, found.among) == (len(left), tuple(left), "codes")
    best = {name: suggestion for suggestion in found.suggestions for name in suggestion.best_by}
    assert set(best) == {"optimal play", "minimax", "lexicographic", "expected-size", "entropy", "most-parts"}
    assert len({suggestion.guess for suggestion in found.suggestions}) == len(found.suggestions)
    assert best["minimax"].figures.largest_part == min(
        max([feedback(guess, code) for code in left].count(given) for given in [feedback(guess, code) for code in left])
        for guess in codes
    )
    assert found.more_guesses == least_mean(left, codes)


def least_mean(left, codes):
    """The least mean of these few, which one guess can tell apart."""
    apart = [guess for guess in codes if len({feedback(guess, code) for code in left}) == len(left)]
    assert apart
    return 2 - (1 / len(left) if set(apart) & set(left) else 0)


def test_contradiction_names_rows_and_fitting_feedback():
    found = advised("4x6", "1122:4,0", "3456:0,0", "1122:1,0", "1212:2,2")
    assert isinstance(found, Contradiction)
    assert found.rows == (3, 4)
    assert found.fitting == ((Feedback(4, 0),), ())
    assert advised("4x6", "1122:4,0", "3456:0,0", "1122:2,2").fitting == ((Feedback(2, 2),), (Feedback(4, 0),))


def test_contradiction_of_several_rows_has_no_fit():
    found = advised("2x4", "11:2,0", "22:2,0", "33:2,0")
    assert found.rows == (2, 3)
    assert found.fitting == ((), ())


def test_adviser_samples_many_codes():
    found = advised("8x10", "12345678:2,2")
    assert found.among == "samples"
    (suggestion,) = found.suggestions
    assert suggestion.best_by == ("sampled",)
    assert feedback(parse_code("12345678", Rules(8, 10)), suggestion.guess) == (2, 2)
    assert suggestion.figures.candidate_count == found.codes
    assert found.more_guesses is None


def test_adviser_leaves_out_expensive_figures():
    assert advised("6x10", effort=NONE_TO_SPARE).suggestions[0].figures is not None
    assert advised("6x10", "112233:2,2", effort=NONE_TO_SPARE).suggestions[0].figures is None


def test_adviser_without_memory_for_counts_draws_a_code_that_agrees():
    live_sets = LiveSets(max_bytes=1000, max_listed_codes=lambda rules: rules.size)
    found = advised("6x10", "112233:0,0", effort=NONE_TO_SPARE, live_sets=live_sets)
    assert not set(format_code(found.suggestions[0].guess)) & set("123")


@pytest.mark.parametrize(("max_bytes", "codes"), [(1 << 20, 23), (1, None)])
def test_adviser_without_memory_lists_no_codes(max_bytes, codes):
    rules = Rules(6, 10)
    history = AssistHistory(rules, parse_turns(["112233:0,0", "445566:0,0", "777888:3,0", "779999:2,0"], rules))
    adviser = Adviser(rules, Random, live_sets=LiveSets(max_bytes))
    found = adviser.codes(history, 30)
    assert codes == (None if found is None else len(found))


def test_adviser_without_solution_suggests_by_criteria():
    found = advised("3x3", "112:1,1", effort=Effort(solver_budget=0))
    assert found.more_guesses is None
    assert {name for suggestion in found.suggestions for name in suggestion.best_by} == {
        "minimax", "lexicographic", "expected-size", "entropy", "most-parts"
    }  # fmt: skip


class FakeScreen:
    """A screen that keeps what it is asked to show, each item as its kind and its values."""

    def __init__(self):
        self.shown = []

    def say(self, text, style=""):
        self.shown.append(("error" if style == "red" else "text", str(text)))

    def show_advice(self, advice):
        self.shown.append(("advice", advice))

    def show_codes(self, codes):
        self.shown.append(("codes", codes))

    def show_rows(self, history, numbers):
        if numbers := list(numbers):
            self.shown.append(("rows", [history.row(number) for number in numbers]))

    def show_contradiction(self, contradiction):
        self.shown.append(("contradiction", contradiction))

    def show_figures(self, figures):
        self.shown.append(("weighed", figures))


def answers(*lines, rules=CLASSIC):
    """Type lines into a dialog; what is shown at the start, and what is shown after each line, by its kind."""
    screen, typed = FakeScreen(), iter(lines)

    def read(_):
        if (line := next(typed, None)) is not None:
            screen.shown.append(("typed", line))
        return line

    AssistDialog(rules, screen, read).run(AssistHistory(rules))
    found = [{}]
    for kind, value in screen.shown:
        if kind == "typed":
            found.append({})
        else:
            found[-1][kind] = value
    return found


def test_dialog_advises_after_each_row():
    start, first, second, third, last = answers("1122 1,0", "1344 bw", "1 3 4 4 4,0", "quit", "1111 0,0")
    assert (start["advice"].codes, first["advice"].codes) == (1296, 256)
    assert first["rows"] == [row("1122", 1, 0)]
    assert second["rows"] == [row("1344", 1, 1)]
    assert 0 < second["advice"].codes < 256
    assert third["contradiction"].rows == (2, 3)
    assert last == {}


def test_dialog_goes_on_after_solved_game():
    _, solved, new = answers("1122 4,0", "new")
    assert set(solved) == {"rows", "text"}
    assert new["advice"].codes == 1296


def test_dialog_changes_and_undoes_rows():
    lines = ("1122 4,0", "1123 0,0", "change 2 3,0", "change 3 1,1", "undo", "undo", "undo", "rows")
    _, _, clash, changed, missing, undone, emptied, refused, rows = answers(*lines)
    assert clash["contradiction"].rows == (1, 2)
    assert clash["contradiction"].fitting == ((Feedback(0, 0),), (Feedback(3, 0),))
    assert changed["rows"] == [row("1123", 3, 0)]
    assert changed["advice"].listed == (parse_code("1122", CLASSIC),)
    assert re.findall("[0-9]+", missing["error"]) == ["3", "1", "2"]
    assert undone["rows"] == [row("1122", 4, 0)]
    assert emptied["advice"].history == AssistHistory(CLASSIC)
    assert set(refused) == {"error"}
    assert set(rows) == {"text"}


def test_dialog_changes_whole_row():
    changed = answers("1122 4,0", "change 1 1111 0,0")[-1]
    assert changed["rows"] == list(changed["advice"].history.rows) == [row("1111", 0, 0)]
    assert changed["advice"].codes == 625


def test_dialog_answers_words():
    lines = ("1122", "codes", "1122 2,2", "codes", "rows", "help", "", "nonsense", "1133")
    _, weighed, many, given, codes, rows, helped, shown, wrong, impossible = answers(*lines)
    figures = weighed["weighed"]
    assert (figures.largest_part, figures.candidate_count, figures.part_count) == (256, 1296, 13)
    assert figures.is_candidate
    assert str(MAX_CODES) in many["text"]
    assert list(map(format_code, codes["codes"])) == ["1212", "1221", "2112", "2121"]
    assert given["advice"].listed == shown["advice"].listed == codes["codes"]
    assert rows == {"rows": [row("1122", 2, 2)]}
    assert all(
        f"  {word.value} " in helped["text"]
        for word in AssistCommand
        if word not in {AssistCommand.SHOW, AssistCommand.HELP}
    )
    assert "'nonsense'" in wrong["error"]
    assert not impossible["weighed"].is_candidate


def test_dialog_names_single_clashing_row():
    assert answers("1234 3,1")[-1]["contradiction"].rows == (1,)


@pytest.fixture
def talk(run, monkeypatch, tmp_path):
    """Type lines into the command."""

    def talk(*lines, arguments=()):
        (tmp_path / "typed").write_text("".join(line + "\n" for line in lines))
        with (tmp_path / "typed").open() as typed:
            monkeypatch.setattr("sys.stdin", typed)
            result = run("assist", *arguments)
        assert (result.status, result.err) == (0, "")
        return result.out

    return talk


def test_assist_echoes_input_and_shows_rows(talk):
    lines = talk("1122 1,0", "quit", "never read").splitlines()
    place = lines.index("  1> 1122 1,0")
    assert lines[place + 1] == "  1   1  1  2  2   ●··· 1,0"
    assert lines[place + 2].startswith("256 of 1,296 ")
    table = r" 1  3  4  4 +44 +31.55  3.22 +13  yes +minimax, lexicographic"
    assert any(re.match(table, line) for line in lines[place:])
    assert lines[-1] == "  2> quit"


@pytest.mark.parametrize(
    ("rules", "code"), [("4x6", "1122"), ("5x3", "11223"), ("3x1", "111"), ("4x10-distinct", "1234")]
)
def test_assist_examples_fit_rules(talk, rules, code):
    out = talk("help", arguments=["--rules", rules])
    assert f" {code} 1,0;" in out
    assert f"  change 2 {code} 1,0  " in out
    assert parse_code(code, Rules.parse(rules))


@pytest.mark.parametrize(
    ("width", "has_pegs", "has_mean"), [(100, 1, 1), (94, 1, 1), (82, 0, 1), (72, 0, 0), (52, 0, 0)]
)
def test_suggestion_table_fits_narrow_terminal(width, has_pegs, has_mean):
    out = io.StringIO()
    AssistScreen(Prompt(Console(file=out, width=width))).show_advice(advised("6x3", "112233:1,2"))
    lines = out.getvalue().splitlines()
    heading = next(line for line in lines if line.startswith("guess"))
    assert max(map(len, lines)) <= width
    assert len(heading.rstrip()) <= width
    assert ("mean" in heading) == has_mean
    assert any(re.match(r" \d  \d  \d .* (yes|no)", line) for line in lines) == has_pegs
    assert "lexicographic" in out.getvalue() or "every" in out.getvalue()
    assert "…" not in out.getvalue()


def test_assist_shows_rows_given_before(talk):
    out = talk(arguments=["--after", "1122:1,0", "1344:0,0"])
    assert out.startswith("  1   1  1  2  2   ●··· 1,0\n  2   1  3  4  4   ···· 0,0\n")


def test_assist_sums_up_all_criteria(talk):
    out = talk(arguments=["--after", "1122:2,2"])
    assert "every" in out
    assert not any(name in out for name in ("minimax", "entropy"))


def test_assist_says_when_it_samples(talk):
    assert "samples" in talk("12345678 2,2", arguments=["--rules", "8x10"])


def test_assist_json_has_documented_keys(run):
    result = run("assist", "--rules", "4x6", "--after", "1122:1,0", "3456:0,1", "1145:1,0", "--json")
    document = result.document
    assert result.status == 0
    assert set(document) == {
        "rules", "after", "candidates", "codes", "clash", "among", "guesses", "expected_guesses"
    }  # fmt: skip
    assert len(document["codes"]) == document["candidates"] <= 30
    assert document["after"][0] == {"code": "1122", "black": 1, "white": 0}
    assert set(document["guesses"][0]) == {
        "code", "best_by", "candidate", "largest", "expected_size", "bits", "parts"
    }  # fmt: skip
    assert 1 < document["expected_guesses"] < 4


def test_assist_json_of_clash(run):
    result = run("assist", "--after", "1122:4,0", "1122:0,0", "--json")
    assert result.status == 1
    fitting = [{"row": 1, "fitting": [[0, 0]]}, {"row": 2, "fitting": [[4, 0]]}]
    assert (result.document["candidates"], result.document["clash"]) == (0, fitting)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--rules", "17x4"], "17"),
        (["--after"], "--after"),
        (["--after", "1122"], "BLACK,WHITE"),
        (["1122"], "'1122'"),
        (["--rules", "4y6"], "'4y6'"),
    ],
)
def test_assist_refuses_bad_input(run, monkeypatch, arguments, named):
    monkeypatch.setattr("sys.stdin", None)
    result = run("assist", *arguments)
    assert (result.status, result.out) == (2, "")
    assert named in result.complaint


@pytest.fixture
def at_terminal(start, keyboard):
    """Start the command at a terminal, and wait until it asks for a line."""

    async def at_terminal(*arguments):
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        environment |= {"TERM": "xterm-256color"}
        child = start("assist", *arguments, stdin=keyboard.program, stdout=keyboard.program, env=environment)
        await keyboard.shows(">")
        return child

    return at_terminal


async def ended(child):
    """Wait for the end of a command; its exit status and its errors."""
    result = await asyncio.to_thread(child.end)
    return result.status, result.err


async def test_assist_shows_progress_of_long_counts(at_terminal, keyboard):
    child = await at_terminal("--rules", "6x10", "--after", "112233:1,1")
    assert "counting" in keyboard.written
    assert any("157,626 of 1,000,000 " in line for line in keyboard.lines)
    keyboard.type("quit\r")
    assert await ended(child) == (0, "")


async def test_assist_shows_no_progress_of_short_counts(at_terminal, keyboard):
    child = await at_terminal("--after", "1122:2,2")
    assert any("4 of 1,296 " in line for line in keyboard.lines)
    assert "counting" not in keyboard.written
    keyboard.type("quit\r")
    assert await ended(child) == (0, "")


async def test_assist_edits_line_at_terminal(at_terminal, keyboard):
    child = await at_terminal()
    keyboard.type("1123 1,0\x1b[D\x1b[D\x1b[D\x1b[D\x7f2\r")
    await keyboard.shows("\n  2>")
    assert keyboard.lines.count("  1> 1122 1,0") == 1
    keyboard.type("un\t\r")
    await keyboard.shows("\n  1>")
    assert "  2> undo" in keyboard.lines
    keyboard.type("\x04")
    assert await ended(child) == (0, "")


async def test_terminated_assist_leaves_terminal_as_it_was(at_terminal, keyboard):
    before = termios.tcgetattr(keyboard.program)
    child = await at_terminal("--after", "1122:2,2")
    assert termios.tcgetattr(keyboard.program) != before
    assert (await asyncio.to_thread(child.end, signal.SIGTERM)).status == 143
    assert termios.tcgetattr(keyboard.program) == before


async def test_interrupted_prompt_ends_line(at_terminal, keyboard):
    child = await at_terminal("--after", "1122:2,2")
    keyboard.type("\x03")
    assert await ended(child) == (130, "")
    assert keyboard.lines[-1] == ""
    assert keyboard.lines[-2].strip() == "2>"


def test_screen_leaves_out_unknown_figures():
    out = io.StringIO()
    history = AssistHistory(Rules(6, 10), (row("112233", 2, 2, Rules(6, 10)),))
    unknown = Suggestion((0,) * 6, ("sampled",), None)
    screen = AssistScreen(Prompt(Console(file=out, width=100)))
    screen.show_advice(Advice(history, 10**6, (), "samples", (unknown,), None))
    screen.show_advice(Advice(history, 1, (), "codes", (unknown,), None))
    lines = [line.split() for line in out.getvalue().splitlines()]
    assert ["1", "1", "1", "1", "1", "1", "sampled"] in lines
    assert lines[-1]
    assert not any(word.isdigit() for word in lines[-1])


def test_assist_shows_clashing_rows_without_fit(talk):
    out = talk("11 2,0", "22 2,0", "33 2,0", arguments=["--rules", "2x4"])
    assert {"  2   2  2   ●● 2,0", "  3   3  3   ●● 2,0"} <= set(out.splitlines())


def test_assist_without_input_ends_normally(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    result = run("assist")
    assert (result.status, result.err) == (0, "")
    assert result.out.endswith("\n")


def test_assist_survives_undecodable_input(start):
    with start("assist", stdin=-1) as child:
        result = child.end(typed=b"1122 1,0\n\xff\xfe\n\x00\n1122 \xc2\xb2,0")
    assert (result.status, result.err) == (0, "")
    assert "256 of 1,296 " in result.out
    assert result.out.count("123456") == 2


def test_interrupted_assist_exits_with_130(start):
    with start("assist", stdin=-1) as child:
        shown = b""
        while not shown.endswith(b"  1> "):
            byte = child.process.stdout.read(1)
            assert byte, shown
            shown += byte
        child.process.send_signal(signal.SIGINT)
        child.process.wait(PATIENCE)  # its input has not ended, which would be an orderly way to leave
        result = child.end()
    assert (result.status, result.out, result.err) == (130, "\n", "")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("undo 7", "undo takes no number; to correct row 7: change 7 CODE BLACK,WHITE"),
        ("1,0", "write the guess before it: 1122 1,0"),
        ("1 0", "write the guess before it: 1122 1,0"),
        ("BW", "write the guess before it: 1122 1,1"),
        ("change 1 foo", "write change 1 BLACK,WHITE, or change 1 CODE BLACK,WHITE"),
    ],
)
def test_parse_line_says_what_to_write_instead(typed, message):
    with pytest.raises(CommandError) as caught:
        parse_line(typed, CLASSIC)
    assert str(caught.value) == message


@pytest.mark.parametrize("typed", ["9,9", "1 1 1", "helpme", "undo it"])
def test_parse_line_still_refuses_other_text(typed):
    with pytest.raises(GameError, match="Type help"):
        parse_line(typed, CLASSIC)


def test_help_with_more_words_is_help():
    assert parse_line("help me", CLASSIC) is AssistCommand.HELP
    rules = Rules(4, 34)
    assert parse_line("help 1,0", rules) == row("HELP", 1, 0, rules)
    with pytest.raises(GameError, match="not a feedback"):
        parse_line("help me", rules)
