"""`evilpegs assist`: what may be typed, what is answered, and how the dialog ends."""

import io
import os
import pty
import re
import signal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from evilpegs.assisting.advice import Advice, Adviser, Contradiction, Suggestion
from evilpegs.assisting.board import Board
from evilpegs.assisting.dialog import AssistDialog
from evilpegs.assisting.lines import Change, Word, read_feedback, read_line
from evilpegs.assisting.screen import LOOKS, Screen, suggestion_tables
from evilpegs.errors import CommandError
from evilpegs.main import main
from evilpegs.played_turns import parse_turns
from evilpegs_game.analysis import Effort
from evilpegs_game.candidates import Turn
from evilpegs_game.codes import code_at, format_code, parse_code
from evilpegs_game.errors import GameError, TooLargeError
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.rules import Rules

CLASSIC = Rules(4, 6)
NONE_TO_SPARE = Effort(feedbacks=0, solving=0, counted_codes=0)


def row(code, black, white, rules=CLASSIC):
    return Turn(parse_code(code, rules), Feedback(black, white))


@pytest.mark.parametrize(
    "typed",
    ["1122 1,2", "1122:1,2", " 1122  1, 2 ", "1122 1 2", "1 1 2 2 1,2", "1 1 2 2 1 2", "1122 1b2w", "1122 1b 2w",
     "1122 1 black, 2 whites", "1122 bww", "1122 b w w", "1122 B WW", "1122 1;2", "1122: 1/2"],
)  # fmt: skip
def test_a_row_may_be_typed_in_many_ways(typed):
    assert read_line(typed, CLASSIC) == row("1122", 1, 2)


@pytest.mark.parametrize(
    ("typed", "told"),
    [("-", (0, 0)), ("0", (0, 0)), ("none", (0, 0)), ("0,0", (0, 0)), ("2w", (0, 2)), ("3b", (3, 0)), ("w", (0, 1)),
     ("bb", (2, 0)), ("2 white", (0, 2)), ("4 black", (4, 0))],
)  # fmt: skip
def test_a_feedback_may_leave_out_what_there_is_not(typed, told):
    assert read_feedback(typed, 4) == Feedback(*told)


@pytest.mark.parametrize("typed", ["10", ",", "1,", "1.2", "x", "wb", "1,2,3", "-1,2", "", "b2", "1b 2b"])
def test_what_could_mean_two_things_is_no_feedback(typed):
    with pytest.raises(GameError, match="not a feedback"):
        read_feedback(typed, 4)


def test_a_code_takes_its_pegs_before_the_feedback():
    rules = Rules(3, 34)
    assert read_line("BWB b", rules) == row("BWB", 1, 0, rules)
    assert read_line("B W B b", rules) == row("BWB", 1, 0, rules)
    assert read_line("bwb", rules) == parse_code("BWB", rules)
    assert read_line("1 1", Rules(2, 3)) == (0, 0)
    assert read_line("1 1 1 0", Rules(2, 3)) == row("11", 1, 0, Rules(2, 3))


@pytest.mark.parametrize(
    ("typed", "word"),
    [("", Word.SHOW), ("  ", Word.SHOW), ("rows", Word.ROWS), ("undo", Word.UNDO), ("?", Word.HELP), ("q", Word.QUIT),
     ("exit", Word.QUIT), ("QUIT", Word.QUIT), ("codes", Word.CODES), ("new", Word.NEW)],
)  # fmt: skip
def test_words(typed, word):
    assert read_line(typed, CLASSIC) is word


def test_what_is_a_code_too_is_a_word_in_lower_case_only():
    rules = Rules(3, 34)
    assert read_line("new", rules) is Word.NEW
    assert read_line("NEW", rules) == parse_code("NEW", rules)


@pytest.mark.parametrize(
    ("typed", "change"),
    [
        ("change 2 1122 1,0", Change(2, (0, 0, 1, 1), Feedback(1, 0))),
        ("change 2 1 1 2 2 1,0", Change(2, (0, 0, 1, 1), Feedback(1, 0))),
        ("change 12 1,0", Change(12, None, Feedback(1, 0))),
        ("change 1 bw", Change(1, None, Feedback(1, 1))),
    ],
)
def test_changes(typed, change):
    assert read_line(typed, CLASSIC) == change


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("112 1,0", "'112' has 3 pegs; 4x6 needs 4. Type help"),
        ("1127", "has a color that 4x6 lacks"),
        ("whet?", "not a code: 'whet[?]'"),
        ("1122 ١,٠", "write BLACK,WHITE"),
        ("1122 4,1", "feedback 4,1 is impossible"),
        ("1122 10", "write BLACK,WHITE like 1,2"),
        ("change", "write the number of the row"),
        ("change 2", "write the number of the row"),
        ("change x 1,0", "write the number of the row"),
        ("change ² 1,0", "write the number of the row"),
        ("change 1 1122", "the feedback is missing: change 1 1122 BLACK,WHITE"),
        ("change 1 5,0", "impossible with 4 pegs"),
        ("change 1 112 1,0", "'112' has 3 pegs"),
    ],
)
def test_what_cannot_be_read_is_told(typed, says):
    with pytest.raises((GameError, CommandError), match=says) as caught:
        read_line(typed, CLASSIC)
    assert "\n" not in str(caught.value)


PIECES = ["1", "2", ",", "b", "w", "change", "undo", "0", "9", ":", "-", "x"]


@given(st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_whatever_is_typed_is_read_or_told_in_one_line(typed):
    told = ""
    try:
        assert isinstance(read_line(typed, Rules(2, 3)), Word | Turn | Change | tuple)
    except (GameError, CommandError) as error:
        told = str(error)
    assert "\n" not in told
    assert len(told) < 300


TYPED = st.sampled_from(
    ["11 1,0", "12 0,1", "22 0,0", "33 2,0", "12", "undo", "change 1 0,0", "change 2 21 1,0", "rows"]
)


@settings(max_examples=12)
@given(st.lists(TYPED | st.sampled_from(["codes", "new", "help", "", "?", "change 9 1,1", "33 1,1", "nonsense"])))
def test_whatever_is_done_the_dialog_goes_on(lines):
    typed, out = iter(lines), io.StringIO()
    dialog = AssistDialog(Rules(2, 3), Screen(Console(file=out, width=100)), lambda _: next(typed, None))
    dialog.run(Board(Rules(2, 3)))
    assert next(typed, None) is None
    assert out.getvalue().startswith("2x3: 9 codes")


def test_a_board():
    first, second = row("1122", 1, 0), row("3344", 0, 1)
    board = Board(CLASSIC).add(first).add(second)
    assert board.rows == (first, second)
    assert board.undo().rows == (first,)
    assert board.change(1, second).rows == (second, second)
    assert not board.is_solved
    assert board.add(row("1122", 4, 0)).is_solved
    with pytest.raises(CommandError, match="no row to take back"):
        Board(CLASSIC).undo()


@pytest.mark.parametrize(
    ("rows", "number", "says"),
    [(0, 1, "none yet"), (1, 2, "only row 1"), (2, 3, "the rows: 1 to 2"), (2, 0, "there is no row 0")],
)
def test_a_row_that_there_is_not(rows, number, says):
    with pytest.raises(CommandError, match=says):
        Board(CLASSIC, (row("1122", 1, 0),) * rows).row(number)


def advised(rules, *turns, **options):
    parsed = Rules.parse(rules)
    return Adviser(parsed, **options).advise(Board(parsed, parse_turns(turns, parsed)))


def test_advice():
    found = advised("3x3", "112:1,1")
    codes = [code_at(index, Rules(3, 3)) for index in range(27)]
    left = [code for code in codes if feedback((0, 0, 1), code) == (1, 1)]
    assert (found.codes, found.listed, found.among) == (len(left), tuple(left), "codes")
    best = {name: suggestion for suggestion in found.suggestions for name in suggestion.best_by}
    assert set(best) == {"optimal play", "minimax", "lexicographic", "expected-size", "entropy", "most-parts"}
    assert len({suggestion.guess for suggestion in found.suggestions}) == len(found.suggestions)
    assert best["minimax"].figures.largest == min(
        max([feedback(guess, code) for code in left].count(given) for given in [feedback(guess, code) for code in left])
        for guess in codes
    )
    assert found.more_guesses == least_mean(left, codes)


def least_mean(left, codes):
    """The least mean of these few, which one guess can tell apart."""
    apart = [guess for guess in codes if len({feedback(guess, code) for code in left}) == len(left)]
    assert apart
    return 2 - (1 / len(left) if set(apart) & set(left) else 0)


def test_a_contradiction_names_the_rows_and_what_would_fit():
    found = advised("4x6", "1122:4,0", "3456:0,0", "1122:1,0", "1212:2,2")
    assert isinstance(found, Contradiction)
    assert found.rows == (3, 4)
    assert found.fitting == ((Feedback(4, 0),), ())
    assert advised("4x6", "1122:4,0", "3456:0,0", "1122:2,2").fitting == ((Feedback(2, 2),), (Feedback(4, 0),))


def test_where_several_rows_are_wrong_no_single_change_fits():
    found = advised("2x4", "11:2,0", "22:2,0", "33:2,0")
    assert found.rows == (2, 3)
    assert found.fitting == ((), ())


def test_too_many_codes_are_sampled():
    found = advised("8x10", "12345678:2,2")
    assert found.among == "samples"
    (suggestion,) = found.suggestions
    assert suggestion.best_by == ("sampled",)
    assert feedback(parse_code("12345678", Rules(8, 10)), suggestion.guess) == (2, 2)
    assert suggestion.figures.candidates == found.codes
    assert found.more_guesses is None


def test_what_takes_too_long_to_count_has_no_figures():
    assert advised("6x10", effort=NONE_TO_SPARE).suggestions[0].figures is not None
    assert advised("6x10", "112233:2,2", effort=NONE_TO_SPARE).suggestions[0].figures is None


def test_samples_that_do_not_fit_give_way_to_the_first_code(monkeypatch):
    def refuse(*_):
        raise TooLargeError

    monkeypatch.setattr("evilpegs_game.candidates.Position.sample", refuse)
    found = advised("6x10", "112233:0,0", effort=NONE_TO_SPARE)
    assert format_code(found.suggestions[0].guess) == "444444"


def test_codes_that_do_not_fit_are_not_listed(monkeypatch):
    class Full:
        def get(self, *_):
            raise TooLargeError

        def count(self, *_):
            return 3

    adviser = Adviser(Rules(6, 10))
    monkeypatch.setattr(adviser, "_live_sets", Full())
    assert adviser.codes(Board(Rules(6, 10)), 30) is None


def test_without_a_solution_there_are_the_criteria():
    found = advised("3x3", "112:1,1", effort=Effort(solving=0))
    assert found.more_guesses is None
    assert {name for suggestion in found.suggestions for name in suggestion.best_by} == {
        "minimax", "lexicographic", "expected-size", "entropy", "most-parts"
    }  # fmt: skip


@pytest.fixture
def talk(run, monkeypatch):
    """Type lines into the dialog."""

    def talk(*lines, arguments=()):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(line + "\n" for line in lines)))
        result = run("assist", *arguments)
        assert (result.status, result.err) == (0, "")
        return result.out

    return talk


def test_a_game(talk):
    out = talk("1122 1,0", "1344 bw", "1 3 4 4 4,0", "quit", "never read")
    assert "4x6: 1,296 codes\n" in out
    assert "  1> 1122 1,0\n  1   1  1  2  2   ●··· 1,0\n256 of 1,296 codes left\n" in out
    assert re.search(r" 1  3  4  4 +44 +31.55  3.22 +13  yes +minimax, lexicographic, expected-size", out)
    assert re.search("\n  2   1  3  4  4   ●○·· 1,1\n[0-9]+ of 1,296 codes left\n", out)
    assert "No code of 4x6 fits rows 2 and 3 together:" in out
    assert out.endswith("  4> quit\n")
    assert "never" not in out


def test_it_ends_when_it_is_solved_only_if_told(talk):
    out = talk("1122 4,0", "new", arguments=["--rules", "4x6"])
    assert "Solved with 1 guess.\nType new for another game" in out
    assert out.count("4x6: 1,296 codes") == 2
    assert out.endswith("  1> \n")


def test_changes_and_undo(talk):
    out = talk("1122 4,0", "1123 0,0", "change 2 3,0", "change 3 1,1", "undo", "undo", "undo", "rows")
    assert "No code of 4x6 fits rows 1 and 2 together:" in out
    assert "  2   1  1  2  3   ···· 0,0  would fit the other rows with 3,0" in out
    assert "Mend one, as in: change 2 BLACK,WHITE; or undo takes back row 2." in out
    assert "one code is left:   1  1  2  2 " in out
    assert "there is no row 3; the rows: 1 to 2" in out
    assert "there is no row to take back" in out
    assert "There are no rows yet." in out


def test_a_whole_row_can_be_changed(talk):
    assert "  1   1  1  1  1   ···· 0,0\n625 of 1,296 codes left" in talk("1122 4,0", "change 1 1111 0,0")


def test_other_words(talk):
    out = talk("1122", "codes", "1122 2,2", "codes", "rows", "help", "", "nonsense", arguments=["--rules", "4x6"])
    assert "at most 256 of 1,296 left, 204.54 on average; 2.89 bits; 13 parts; it may be the code" in out
    assert "These are too many to list: over 500." in out
    assert out.count(" 1  2  1  2    1  2  2  1    2  1  1  2    2  1  2  1 ") == 3
    assert "  change 2 1122 1,0  row 2 was that\n" in out
    assert "not a code: 'nonsense'" in out
    assert "it cannot be the code" in talk("1122 2,2", "1133")


@pytest.mark.parametrize(
    ("rules", "code"), [("4x6", "1122"), ("5x3", "11223"), ("3x1", "111"), ("4x10-distinct", "1234")]
)
def test_examples_are_codes_of_the_rules(talk, rules, code):
    out = talk("help", arguments=["--rules", rules])
    assert f"black and white: {code} 1,0; or help." in out
    assert f"  change 2 {code} 1,0  row 2 was that\n" in out
    assert parse_code(code, Rules.parse(rules))


@pytest.mark.parametrize("place", range(len(LOOKS)))
def test_a_narrower_terminal_gets_a_narrower_table(place):
    tables = list(suggestion_tables(advised("6x3", "112233:1,2").suggestions))
    width = Console(width=1000).measure(tables[place]).maximum
    out = io.StringIO()
    Screen(Console(file=out, width=width)).advice(advised("6x3", "112233:1,2"))
    lines = out.getvalue().splitlines()
    heading = next(line for line in lines if line.startswith("guess"))
    assert max(map(len, lines)) <= width
    assert len(heading.rstrip()) <= width
    assert ("mean left" in heading) == LOOKS[place].average
    assert "lexicographic" in out.getvalue() or "every criterion" in out.getvalue()
    assert "…" not in out.getvalue()


def test_rows_may_be_given_before(talk):
    out = talk(arguments=["--after", "1122:1,0", "1344:0,0"])
    assert out.startswith("  1   1  1  2  2   ●··· 1,0\n  2   1  3  4  4   ···· 0,0\n")
    assert "every criterion" in talk("1122 2,2")


def test_a_clash_of_one_row(talk):
    assert "No code of 4x6 fits row 1:\n" in talk("1234 3,1")


def test_among_whom_guesses_are_compared_is_told(talk):
    assert "compared among samples" in talk("12345678 2,2", arguments=["--rules", "8x10"])


def test_the_document(run):
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


def test_the_document_of_a_clash(run):
    result = run("assist", "--after", "1122:4,0", "1122:0,0", "--json")
    assert result.status == 1
    fitting = [{"row": 1, "fitting": [[0, 0]]}, {"row": 2, "fitting": [[4, 0]]}]
    assert (result.document["candidates"], result.document["clash"]) == (0, fitting)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--rules", "16x34"], "can be counted; take smaller rules"),
        (["--after"], "--after wants the turns"),
        (["--after", "1122"], "write BLACK,WHITE like 1,2"),
        (["1122"], "there is no use for '1122'"),
        (["--rules", "4y6"], "not rules"),
    ],
)
def test_bad_input(run, monkeypatch, arguments, says):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    result = run("assist", *arguments)
    assert (result.status, result.out) == (2, "")
    assert says in result.complaint


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Keyboard(io.TextIOWrapper):
    def isatty(self):
        return True

    def fileno(self):
        raise io.UnsupportedOperation


@pytest.fixture
def at_terminal(monkeypatch):
    """Run the command at a terminal on which somebody types quit; its status and what was shown."""

    def at_terminal(*arguments):
        out = Terminal()
        with monkeypatch.context() as patch:
            patch.setenv("TERM", "xterm-256color")
            patch.setattr("sys.stdin", Keyboard(io.BytesIO(b"quit\n")))
            patch.setattr("sys.stdout", out)
            return main(["assist", *arguments]), out.getvalue()

    return at_terminal


def test_at_a_terminal_long_counts_are_told(at_terminal):
    status, shown = at_terminal("--rules", "6x10", "--after", "112233:1,1")
    assert status == 0
    assert "counting" in shown
    assert "157,626 of 1,000,000 codes left" in shown
    assert "quit" not in shown


def test_at_a_terminal_short_ones_are_not(at_terminal):
    status, shown = at_terminal("--after", "1122:2,2")
    assert status == 0
    assert "4 of 1,296 codes left" in shown
    assert "counting" not in shown


def test_an_interruption_ends_the_line(at_terminal, monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    status, shown = at_terminal("--after", "1122:2,2")
    assert status == 130
    assert shown.endswith("help.\x1b[0m\n\n")


def test_what_is_not_known_is_not_shown():
    out = io.StringIO()
    board = Board(Rules(6, 10), (row("112233", 2, 2, Rules(6, 10)),))
    unknown = Suggestion((0,) * 6, ("sampled",), None)
    screen = Screen(Console(file=out, width=100))
    screen.advice(Advice(board, 10**6, (), "samples", (unknown,), None))
    screen.advice(Advice(board, 1, (), "codes", (unknown,), None))
    lines = [line.split() for line in out.getvalue().splitlines()]
    assert ["1", "1", "1", "1", "1", "1", "sampled"] in lines
    assert lines[-1] == ["one", "code", "is", "left"]


def test_rows_that_nothing_fits_are_shown_without(talk):
    out = talk("11 2,0", "22 2,0", "33 2,0", arguments=["--rules", "2x4"])
    assert "fits rows 2 and 3 together:\n  2   2  2   ●● 2,0\n  3   3  3   ●● 2,0\nMend one" in out


def test_without_input_it_ends_in_order(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    result = run("assist")
    assert (result.status, result.err) == (0, "")
    assert result.out.endswith("or help.\n\n")


def test_a_pipe_may_hold_anything(start):
    with start("assist", stdin=-1) as child:
        result = child.end(typed=b"1122 1,0\n\xff\xfe\n\x00\n1122 \xc2\xb2,0")
    assert (result.status, result.err) == (0, "")
    assert "256 of 1,296 codes left" in result.out
    assert result.out.count("not a code") == 2


def test_an_interruption_ends_it_in_order(start):
    with start("assist", stdin=-1) as child:
        shown = b""
        while not shown.endswith(b"  1> "):
            byte = child.process.stdout.read(1)
            assert byte, shown
            shown += byte
        result = child.end(signal.SIGINT)
    assert (result.status, result.out, result.err) == (130, "\n", "")


def test_a_terminal_shows_what_was_typed_by_itself(start):
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color"}
    with start("assist", "--rules", "8x10", stdin=theirs, stdout=theirs, env=environment) as child:
        os.write(ours, b"quit\n")
        child.process.wait(60)
        shown = os.read(ours, 1 << 16).decode()
        assert child.end().err == ""
    os.close(ours)
    os.close(theirs)
    assert child.process.returncode == 0
    assert "\x1b[" in shown
