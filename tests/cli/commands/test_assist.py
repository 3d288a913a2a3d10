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

from evilpegs.commands.assist import AssistDialog
from evilpegs.commands.assist.input import AssistCommand, RowChange, help_text, parse_feedback, parse_line, parse_row
from evilpegs.commands.assist.screen import AssistScreen
from evilpegs.errors import CommandError
from evilpegs_clients.terminal.prompt import Prompt
from evilpegs_game.analysis.advice import Advice, Adviser, AssistHistory, Contradiction, Suggestion
from evilpegs_game.analysis.turns import Effort
from evilpegs_game.codes import code_at, format_code, parse_code
from evilpegs_game.errors import GameError, IllegalCodeError, MalformedError
from evilpegs_game.feedback import Feedback, Turn, feedback, parse_turn, parse_turns
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
     "1122 1 black, 2 whites", "1122 2w 1b", "1122 2 whites 1 black", "1122 1A2B", "1122 1a 2b", "1122 2B1A",
     "1122 1 bull 2 cows", "1122 2 cows, 1 bull", "1122 1bull2cows", "1,1,2,2 1,2", "1, 1, 2, 2 1A2B", "1,1,2,2: 1 2",
     "1122 bww", "1122 b w w", "1122 B WW", "1122 1;2", "1122: 1/2"],
)  # fmt: skip
def test_parse_line_accepts_spellings_of_rows(typed):
    assert parse_line(typed, CLASSIC) == row("1122", 1, 2)


@pytest.mark.parametrize("text", ["1122:1,2", "1122:1A2B", "1122:2w1b", "1,1,2,2:1,2", "1122:1 bull, 2 cows"])
def test_after_takes_what_a_person_types(text):
    assert parse_row(text, CLASSIC) == row("1122", 1, 2)


@pytest.mark.parametrize("text", ["1122", "1122:9A", "undo:1", "7722:1,2"])
def test_after_refuses_other_text_as_other_commands_do(text):
    with pytest.raises(GameError) as caught:
        parse_row(text, CLASSIC)
    with pytest.raises(GameError) as other:
        parse_turn(text, CLASSIC)
    assert str(caught.value) == str(other.value)


@pytest.mark.parametrize(
    ("typed", "given"),
    [("-", (0, 0)), ("0", (0, 0)), ("none", (0, 0)), ("0,0", (0, 0)), ("2w", (0, 2)), ("3b", (3, 0)), ("w", (0, 1)),
     ("bb", (2, 0)), ("2 white", (0, 2)), ("4 black", (4, 0)),
     ("0A0B", (0, 0)), ("4 bulls", (4, 0)), ("1 cow", (0, 1)), ("3a", (3, 0))],
)  # fmt: skip
def test_parse_feedback_takes_missing_counts_as_zero(typed, given):
    assert parse_feedback(typed, 4) == Feedback(*given)


@pytest.mark.parametrize(
    "typed",
    [
        "10",
        ",",
        "1,",
        "1.2",
        "x",
        "wb",
        "1,2,3",
        "-1,2",
        "",
        "b2",
        "1b 2b",
        "1a 2w",
        "1a 2a",
        "1A2B3",
        "1 bull 2 cats",
        "1 cow 2 whites",
        "1A-2B",
        "1a,2",
        "111a2b",
    ],
)
def test_parse_feedback_refuses_ambiguous_text(typed):
    with pytest.raises(MalformedError, match=re.escape(repr(typed))):
        parse_feedback(typed, 4)


def test_parse_line_takes_commas_between_pegs():
    assert parse_line("4,0,8,9", Rules(4, 10, repeats=False)) == parse_code("4089", Rules(4, 10))
    assert parse_line("4,0,8,9 1 bull", Rules(4, 10, repeats=False)) == row("4089", 1, 0, Rules(4, 10))
    assert parse_line("1,2,3", Rules(3, 6)) == (0, 1, 2)
    assert parse_line("1,2 1,0", Rules(2, 6)) == row("12", 1, 0, Rules(2, 6))
    assert parse_line("change 2 1,1,2,2 1A2B", CLASSIC) == RowChange(2, (0, 0, 1, 1), Feedback(1, 2))
    assert parse_line("change 2 1,1", Rules(2, 6)) == RowChange(2, None, Feedback(1, 1))


@pytest.mark.parametrize(
    ("typed", "pegs"), [("1,0", 2), ("1,1,2,2,1,0", 4), ("1,1,2", 4), ("1,1,,2,2", 4), ("1,,2", 2)]
)
def test_parse_line_refuses_ambiguous_commas(typed, pegs):
    with pytest.raises((GameError, CommandError)):
        parse_line(typed, Rules(pegs, 6))


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
        ("change 1 foo 1,0", MalformedError, ["'foo'"]),
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


def talk(*lines):
    """Type lines into a dialog about 2x3, and return what it prints."""
    typed, out = iter(lines), io.StringIO()
    dialog = AssistDialog(Rules(2, 3), AssistScreen(Prompt(Console(file=out, width=100))), lambda _: next(typed, None))
    dialog.run(AssistHistory(Rules(2, 3)))
    assert next(typed, None) is None
    return out.getvalue()


@settings(max_examples=share(12))
@given(st.lists(TYPED | st.sampled_from(["codes", "new", "help", "", "?", "change 9 1,1", "33 1,1", "nonsense"])))
def test_dialog_survives_any_lines(lines):
    assert talk(*lines).startswith("2x3: 9 ")


def test_dialog_changes_whole_row():
    """The snapshots have the other lines of a dialog."""
    row, left, *_ = talk("11 2,0", "change 1 22 0,0").partition("Type new")[2].splitlines()[1:]
    assert (row, left) == ("  1   2  2   ·· 0,0", "4 of 9 codes left")


@pytest.mark.parametrize(
    ("rules", "code"), [("4x6", "1122"), ("5x3", "11223"), ("3x1", "111"), ("4x10-distinct", "1234")]
)
def test_help_names_every_command_with_a_code_of_the_rules(rules, code):
    text = help_text(Rules.parse(rules))
    assert f"  {code} 1,0  " in text
    assert f"  change 2 {code} 1,0  " in text
    unnamed = {AssistCommand.SHOW, AssistCommand.HELP}
    assert [word for word in AssistCommand if word not in unnamed and f"  {word.value} " not in text] == []


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
    found = advised("4x6", "1122:1,0", effort=Effort(feedback_budget=100, solver_budget=0))
    assert found.among == "samples"
    (suggestion,) = found.suggestions
    assert suggestion.best_by == ("sampled",)
    assert feedback(parse_code("1122", CLASSIC), suggestion.guess) == (1, 0)
    assert suggestion.figures.candidate_count == found.codes
    assert found.more_guesses is None


def test_adviser_leaves_out_expensive_figures():
    assert advised("4x6", effort=NONE_TO_SPARE).suggestions[0].figures is not None
    assert advised("4x6", "1122:1,0", effort=NONE_TO_SPARE).suggestions[0].figures is None


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


async def test_assist_edits_lines_at_terminal_until_ctrl_c(at_terminal, keyboard):
    child = await at_terminal("--rules", "2x3")
    assert "counting" not in keyboard.written
    keyboard.type("13 1,0\x1b[D\x1b[D\x1b[D\x1b[D\x7f2\r")
    await keyboard.shows("\n  2>")
    assert keyboard.lines.count("  1> 12 1,0") == 1
    keyboard.type("un\t\r")
    await keyboard.shows("\n  1>")
    assert "  2> undo" in keyboard.lines
    keyboard.type("\x03")
    result = await asyncio.to_thread(child.end)
    assert (result.status, result.err) == (130, "")
    assert keyboard.lines[-2:] == ["  1>", ""]


async def test_assist_shows_progress_and_is_terminated_in_order(at_terminal, keyboard):
    """Rules of more than a hundred thousand codes are worth a status line."""
    before = termios.tcgetattr(keyboard.program)
    child = await at_terminal("--rules", "6x7", "--after", "112233:4,2")
    assert "counting" in keyboard.written
    assert any("12 of 117,649 " in line for line in keyboard.lines)
    assert termios.tcgetattr(keyboard.program) != before
    assert (await asyncio.to_thread(child.end, signal.SIGTERM)).status == 143
    assert termios.tcgetattr(keyboard.program) == before


def test_assist_without_input_ends_normally(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    result = run("assist", "--rules", "2x2")
    assert (result.status, result.err) == (0, "")
    assert result.out.endswith("\n")


def shown_until(child, end):
    shown = b""
    while not shown.endswith(end):
        byte = child.process.stdout.read(1)
        assert byte, shown
        shown += byte
    return shown


def test_interrupted_assist_survives_undecodable_input_first(start):
    """Its input has not ended when the signal comes, which would be an orderly way to leave."""
    with start("assist", "--rules", "2x3", stdin=-1) as child:
        child.process.stdin.write(b"11 1,0\n\xff\xfe\n\x00\n11 \xc2\xb2,0\n")
        shown = shown_until(child, b"  2> 11 \xc2\xb2,0\n") + shown_until(child, b"  2> ")
        child.process.send_signal(signal.SIGINT)
        child.process.wait(PATIENCE)
        result = child.end()
    assert (result.status, result.out, result.err) == (130, "\n", "")
    assert b"4 of 9 " in shown
    assert shown.count(b"use 2 of 123") == 2


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
