"""`evilpegs check-client`: a server does to an author's own client what servers and networks do, and looks."""

import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from evilpegs.commands.check_client.bench import Bench
from evilpegs.commands.check_client.client import NeverCameError, WrongError
from evilpegs.commands.check_client.lies import KINDS, check_lies
from evilpegs.commands.check_client.scripts import Script, scripts
from evilpegs.commands.check_client.verdict import JUNIT, Verdict, write_junit
from evilpegs.errors import CommandError
from evilpegs.files import check_writable
from evilpegs.kit.ladders import local_ladder
from evilpegs.options import FILE, Json
from evilpegs.output import console, pluralize, print_json
from evilpegs.signals import ended_in_order, run_interruptibly
from evilpegs.strategy_choice import point_out_shell
from evilpegs_clients.strategies.program import find_program, split_command
from evilpegs_game.errors import quoted


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
    patience: Annotated[
        float, Parameter(help="Seconds for anything that your client should do, from its start on; at most for a game.")
    ] = 30.0,
    script: Annotated[str | None, Parameter(help="Play only the script of this name.")] = None,
    lies: Annotated[bool, Parameter(help="Tell a lie in each of several matches; see which it notices.")] = False,
    claims: Annotated[str | None, Parameter(help="With --lies, what it must notice: KIND[,KIND...] or all.")] = None,
    junit: Annotated[Path | None, FILE, Parameter(help="Also write the results to this file, as JUnit XML.")] = None,
    as_json: Json = False,
) -> int:
    """Check what a client of your own does when it is cut off, when the server changes, or when its clock runs out.

    For each script, a server of its own runs on a free port, and the client is started once more. It should play one
    match at least. One line says what it did and what it should have done. The exit status is 1 if something was wrong,
    and 2 if the client never came.

    With --lies, the client plays one game each time and must end by itself. The first is honest, and the exit status of
    the client must be 0. In each other the server breaks one thing, and a client has noticed if its exit status is not
    0: commitment, feedback, hash (of the record), order (of the events), signature and, after an honest game against
    evil, evil (the rule of its replies) and tie. The exit status is 1 if the client failed an honest game, or did not
    notice what --claims names.
    """
    for value, option in ((silence, "--silence"), (patience, "--patience")):
        if not 0 < value <= 3_600:
            raise CommandError(f"{option} must be above 0 and at most 3600, not {value:g}")
    if lies and script is not None:
        raise CommandError("--lies plays no script; leave out --script, or --lies")
    info, chosen, claimed = local_ladder(ladder), _chosen(script, scripts(silence)), _claimed(claims, lies)
    if junit is not None:
        check_writable(str(junit), JUNIT)
    words = split_command(command)
    words[0] = str(find_program(words[0]))
    point_out_shell(command, words[0], "COMMAND")
    out, verdicts = console(), list[Verdict]()

    def show(verdict: Verdict) -> None:
        verdicts.append(verdict)
        if not as_json:
            out.print(verdict.line(), style="bold red" if verdict.failed else "", soft_wrap=True)

    with ended_in_order():
        if lies:
            run_interruptibly(check_lies(words, info, patience, claimed, show))
        else:
            run_interruptibly(_check(words, ladder, chosen, patience, show))
    failed = sum(verdict.failed for verdict in verdicts)
    if junit is not None:
        write_junit(str(junit), verdicts)
    if as_json:
        print_json({"checks": [asdict(verdict) for verdict in verdicts], "failed": failed})
    else:
        out.print(f"{failed} of {pluralize(len(verdicts), 'check')} went wrong" if failed else "nothing was wrong")
    return int(failed > 0)


def _chosen(name: str | None, known: list[Script]) -> list[Script]:
    if name is None or (chosen := [script for script in known if script[0] == name]):
        return known if name is None else chosen
    raise CommandError(
        f"there is no script {quoted(name, 40)}; the scripts are {', '.join(name for name, *_ in known)}"
    )


def _claimed(claims: str | None, lies: bool) -> frozenset[str]:
    if claims is not None and not lies:
        raise CommandError("--claims says what --lies must find; add --lies")
    named = frozenset(KINDS if claims == "all" else () if claims is None else claims.split(","))
    if unknown := sorted(named.difference(KINDS)):
        raise CommandError(f"there is no lie {quoted(unknown[0], 40)}; the lies are {', '.join(KINDS)}, or all")
    return named


async def _check(
    words: list[str], ladder: str, chosen: list[Script], patience: float, show: Callable[[Verdict], None]
) -> None:
    port = 0
    for name, should, script in chosen:
        with tempfile.TemporaryDirectory(prefix="evilpegs-check-") as folder:
            bench = Bench(Path(folder), patience)
            port = await bench.open(words, port, ladder)  # always the same, because clients keep tokens by address
            hello, began = None, bench.now()
            try:
                hello = await bench.hear("hello")
                hello.go_on()
                did, is_wrong = await script(bench), False
            except WrongError as error:
                did, is_wrong = str(error), True
            finally:
                await bench.close()
        if hello is None:
            raise NeverCameError(did)
        verdict = "wrong" if is_wrong else "right"
        show(Verdict(name, verdict, is_wrong, did, should, round(bench.now() - began, 3)))
