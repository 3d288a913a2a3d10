"""`evilpegs check-client`: a server does to an author's own client what servers and networks do, and looks."""

import tempfile
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from evilpegs.commands.check_client.bench import Bench, WrongError
from evilpegs.commands.check_client.scripts import scripts
from evilpegs.errors import CommandError
from evilpegs.kit.ladders import local_ladder
from evilpegs.output import console, pluralize
from evilpegs.signals import ended_in_order, run_interruptibly
from evilpegs.strategy_choice import point_out_shell
from evilpegs_clients.strategies.program import find_program, split_command

START_SECONDS: Final = 30.0  # the least time for a client to start and say hello


def check_client(
    command: Annotated[
        str,
        Parameter(
            help="The command line of your client, such as 'node mybot.js {url}'. {url} is the address of the server "
            "and {ladder} the ladder; EVILPEGS_SERVER and EVILPEGS_LADDER have them too."
        ),
    ],
    /,
    *,
    ladder: Annotated[str, Parameter(help="The ladder that {ladder} stands for.")] = "classic",
    silence: Annotated[float, Parameter(help="Seconds for which the server says nothing.")] = 60.0,
    patience: Annotated[float, Parameter(help="Seconds that your client may take, at most for a game.")] = 30.0,
) -> int:
    """Check what a client of your own does when it is cut off, when the server changes, or when its clock runs out.

    For each script, a server of its own runs on a free port, and the client is started once more. It should play one
    match at least. One line says what it did and what it should have done. The exit status is 1 if something
    was wrong, and 2 if the client never came.
    """
    for value, option in ((silence, "--silence"), (patience, "--patience")):
        if not 0 < value <= 3_600:
            raise CommandError(f"{option} must be above 0 and at most 3600, not {value:g}")
    local_ladder(ladder)
    words = split_command(command)
    words[0] = str(find_program(words[0]))
    point_out_shell(command, words[0], "COMMAND")
    with ended_in_order():
        return run_interruptibly(_check(words, ladder, silence, patience))


async def _check(words: list[str], ladder: str, silence: float, patience: float) -> int:
    out, wrong, port, all_scripts = console(), 0, 0, scripts(silence)
    for name, should, script in all_scripts:
        with tempfile.TemporaryDirectory(prefix="evilpegs-check-") as folder:
            bench = Bench(Path(folder), patience)
            port = await bench.open(words, port, ladder)  # always the same, because clients keep tokens by address
            hello = None
            try:
                hello = await bench.hear("hello", seconds=max(patience, START_SECONDS))
                hello.go_on()
                did, is_right = await script(bench), True
            except WrongError as error:
                did, is_right = str(error), False
            finally:
                await bench.close()
        if hello is None:
            raise CommandError(
                f"the client never said hello; the address is in {{url}} and in EVILPEGS_SERVER; it {did}"
            )
        wrong += not is_right
        line = f"{'right' if is_right else 'WRONG'}  {name}: it {did}; it should {should}"
        out.print(line, style="" if is_right else "bold red", soft_wrap=True)
    out.print(f"{wrong} of {pluralize(len(all_scripts), 'script')} went wrong" if wrong else "everything was right")
    return int(wrong > 0)
