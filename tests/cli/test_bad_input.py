"""Every wrong input that does not need a server: one line that says what and what to do, and exit status 2."""

import pytest

from evilpegs.main import COMMANDS, app
from evilpegs.options import WHOLE

BAD = {
    "unknown command": (["srve"], 'did you mean "serve"'),
    "unknown option": (["evaluate", "minimax", "--rulse", "4x6"], "did you mean --rules"),
    "no jobs": (["evaluate", "minimax", "--jobs", "0"], "--jobs must be 1 to 256, not 0"),
    "jobs and a cluster": (["evaluate", "minimax", "--jobs", "2", "--cluster", "tcp://x:1"], "take one of them"),
    "no games": (["evaluate", "minimax", "--games", "0"], "--games must be 1 to 1,000,000,000, not 0"),
    "half a game": (["evaluate", "minimax", "--games", "2.9"], "--games must be a whole number, not 2.9"),
    "half a job": (["evaluate", "minimax", "--jobs=1.9"], "--jobs must be a whole number, not 1.9"),
    "half a match": (["bot", "minimax", "--matches", "1.5"], "--matches must be a whole number, not 1.5"),
    "no number": (["evaluate", "minimax", "--games", "few"], "--games"),
    "no strategy": (["evaluate", "--games", "5"], "name one or more"),
    "no such plot": (["evaluate", "minimax", "--plot", "a.pdf"], "a plot is a .png or a .svg file"),
    "no place for a plot": (["evaluate", "minimax", "--plot", "no/a.png"], "there is no directory no"),
    "no place for a csv file": (["evaluate", "minimax", "--csv", "no/a.csv"], "there is no directory no"),
    "two documents": (["evaluate", "minimax", "--csv", "-", "--json"], "cannot both have standard output"),
    "no cluster there": (["evaluate", "minimax", "--cluster", "tcp://127.0.0.1:1"], "no dask scheduler answers"),
    "no cluster's address": (["evaluate", "minimax", "--cluster", "udp:/x"], "no dask scheduler answers"),
    "too large to play all": (["evaluate", "minimax", "--rules", "8x10"], "800,001,024 bytes; the bound is"),
    "too large, and dry": (["evaluate", "sampled", "--rules", "8x10", "--dry-run"], "play some games with --games"),
    "an argument too many": (["ladders", "classic"], "there is no use for 'classic'"),
    "an argument too few": (["evaluate"], "see: evilpegs evaluate --help"),
    "option without value": (["duel", "minimax", "--first"], "--first requires an argument"),
    "not a number": (["serve", "--port", "abc"], "--port"),
    "rules that are none": (["evaluate", "minimax", "--rules", "4-6"], "write pegsxcolors like 4x6"),
    "rules too wide": (["evaluate", "minimax", "--rules", "17x6"], "pegs must be 1 to 16"),
    "rules without pegs": (["duel", "minimax", "--rules", "0x6"], "pegs must be 1 to 16"),
    "distinct rules that cannot be": (["duel", "minimax", "--rules", "5x4-distinct"], "need at least 5 colors"),
    "too many codes": (["evaluate", "minimax", "--rules", "16x34"], "bound"),
    "unknown strategy": (["evaluate", "minimox"], "take first-consistent"),
    "no strategy file": (["duel", "mine.py"], "no strategy file mine.py"),
    "malformed code": (["partition", "11i2"], "not a code"),
    "illegal code": (["partition", "1127"], "has a color that 4x6 lacks"),
    "short code": (["evaluate", "minimax", "--first", "112"], "4x6 needs 4"),
    "repeated color": (["partition", "--rules", "bulls-and-cows", "1123"], "repeats a color"),
    "no guess": (["partition"], "no guess to look at"),
    "not a turn": (["partition", "1122", "--after", "1122:x"], "write black,white like 1,2"),
    "a turn without feedback": (["partition", "1122", "--after", "1122"], "'1122' after --after has no feedback"),
    "a later turn without": (["partition", "2345", "--after", "1122:1,0", "3344"], "'3344' after --after has no"),
    "nothing but a code after": (["partition", "--after", "1122"], "has no feedback"),
    "no turn after": (["partition", "1122", "--after"], "--after wants the turns"),
    "no host": (["serve", "--host", ""], "--host: must not be empty"),
    "impossible feedback": (["partition", "1122", "--after", "1122:4,1"], "impossible with 4 pegs"),
    "contradiction": (["partition", "1122", "--after", "1122:4,0", "1122:0,0"], "no code of 4x6 is consistent"),
    "unknown codemaker": (["duel", "minimax", "--codemaker", "demon"], '"evil", "devil", "fixed"'),
    "devil with a secret": (
        ["duel", "minimax", "--codemaker", "devil", "--secret", "1122"],
        "a devil codemaker has no",
    ),
    "evil that solves": (["duel", "minimax", "--exact-up-to", "9"], "leave --exact-up-to out"),
    "evil that keeps": (["duel", "minimax", "--solved", "here"], "leave --solved out"),
    "less than nothing solved": (["duel", "minimax", "--codemaker", "devil", "--exact-up-to", "-1"], "at least 0"),
    "a devil for too much": (["duel", "minimax", "--codemaker", "devil", "--rules", "huge"], "too large to be solved"),
    "evil with a secret": (["duel", "minimax", "--secret", "1122"], "an evil codemaker has no secret"),
    "fixed without a secret": (["duel", "minimax", "--codemaker", "fixed"], "--secret code"),
    "port out of range": (["serve", "--port", "65536"], "--port"),
    "unknown kind of registration": (["serve", "--registration", "maybe"], '"open", "closed"'),
    "not a database": (["serve", "--database", "here"], "write sqlite:///file"),
    "a database of another kind": (["serve", "--database", "postgresql://x/y"], "not supported yet"),
    "a database in memory": (["serve", "--database", "sqlite://"], "would lose every match"),
    "no place for a database": (["serve", "--database", "sqlite:////proc/none/x.db"], "--database"),
    "no database": (["leaderboard", "--database", "sqlite:///none.sqlite3"], "run `evilpegs serve` first"),
    "no default database": (["replay", "last"], "run `evilpegs serve` first"),
    "no server": (["bot", "minimax", "--server", "ws://127.0.0.1:1/v1"], "run `evilpegs serve`"),
    "no server to ask": (["ladders", "--server", "ws://127.0.0.1:1/v1"], "run `evilpegs serve`"),
    "not a server's address": (["bot", "minimax", "--server", "http://127.0.0.1"], "write ws://host:port/v1"),
    "a ladder that cannot be": (["bot", "minimax", "--ladder", "NO!"], "see: evilpegs ladders"),
    "a ladder that cannot be, to play": (["play", "--ladder", ""], "see: evilpegs ladders"),
    "a name that cannot be": (["bot", "minimax", "--name", "x" * 65], "a name is 2 to 20"),
    "a name that cannot be, to play": (["play", "--name", "x" * 65], "a name is 2 to 20"),
    "no matches": (["bot", "minimax", "--matches", "0"], "--matches must be at least 1"),
}


@pytest.mark.parametrize(("arguments", "says"), BAD.values(), ids=BAD)
def test_bad_input_is_told_in_one_line(run, arguments, says):
    result = run(*arguments)
    assert result.status == 2
    assert says in result.complaint.lower()
    assert result.out == ""


def test_no_whole_number_is_rounded():
    options = [option for command in COMMANDS for option in app[command.__name__].assemble_argument_collection()]
    whole = [option for option in options if option.hint in (int, int | None)]
    assert {option.name for option in whole} >= {"--games", "--jobs", "--matches", "--port", "--seed", "--threads"}
    assert [option.name for option in whole if option.parameter.converter is not WHOLE.converter] == []
