"""`evilpegs check-client`: a server does to an author's own client what servers and networks do, and looks."""

import asyncio
from typing import Annotated, Final

from cyclopts import Parameter

from evilpegs.commands.check_client.bench import Bench, ClientCommand, WrongError, running_bench
from evilpegs.commands.check_client.scripts import Script, scripts
from evilpegs.errors import CommandError
from evilpegs.output import console, pluralize
from evilpegs.signals import ended_in_order, run_interruptibly
from evilpegs.strategy_choice import point_out_shell
from evilpegs_clients.strategies.program import find_program, split_command

SOMETHING_WRONG: Final = 1
# a client may need as many steps for one script; one that goes round in circles needs more
_MOST_STEPS: Final = 20


def check_client(
    command: Annotated[
        str,
        Parameter(
            help="The command line of your client, such as 'node mybot.js {url}'. {url} stands for the address of the "
            "server and {ladder} for the ladder; the variables EVILPEGS_SERVER and EVILPEGS_LADDER have them too."
        ),
    ],
    /,
    *,
    ladder: Annotated[str, Parameter(help="The ladder that {ladder} stands for.")] = "classic",
    silence: Annotated[float, Parameter(help="Seconds for which the server says nothing.")] = 60.0,
    patience: Annotated[
        float, Parameter(help="Seconds that your client may take for a move, or to connect again.")
    ] = 30.0,
) -> int:
    """Check what a client of your own does when it is cut off, when the server changes, or when its clock runs out.

    For each script, a server of its own runs on a free port, and the client is started once more. It should play one
    match at least. One line says what it did and what it should have done. The exit status is 1 if something was wrong.
    """
    for value, option in ((silence, "--silence"), (patience, "--patience")):
        if not 0 < value <= 3_600:
            raise CommandError(f"{option} must be above 0 and at most 3600, not {value:g}")
    words = split_command(command)
    words[0] = str(find_program(words[0]))
    point_out_shell(command, words[0], "COMMAND")
    with ended_in_order():
        return run_interruptibly(_check(ClientCommand(words, patience, ladder), silence))


async def _check(command: ClientCommand, silence: float) -> int:
    out, wrong, all_scripts = console(), 0, scripts(silence)
    for name, script in all_scripts.items():
        async with running_bench(command) as bench:
            did, is_right = await _run(bench, script, command.patience * _MOST_STEPS)
            if bench.token is None and not command.names:
                raise CommandError(f"the client never said hello to {{url}} or EVILPEGS_SERVER: it {did}")
        wrong += not is_right
        line = f"{'right' if is_right else 'WRONG'}  {name}: it {did}; it should {script.should}"
        out.print(line, style="" if is_right else "bold red", soft_wrap=True)
    out.print(f"{wrong} of {pluralize(len(all_scripts), 'script')} went wrong" if wrong else "everything was right")
    return SOMETHING_WRONG if wrong else 0


async def _run(bench: Bench, script: Script, seconds: float) -> tuple[str, bool]:
    try:
        async with asyncio.timeout(seconds):
            return await script.run(bench), True
    except WrongError as error:
        return str(error), False
    except TimeoutError:
        return "went round in circles", False
