"""`evilpegs publish`: the page and all that was played, as files for any web host."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from evilpegs.database import server_settings
from evilpegs.kit.publishing import print_published, write_site
from evilpegs.options import FILE, Database, Json
from evilpegs.output import print_json
from evilpegs_server.publishing.site import Wanted


def publish(
    *,
    out: Annotated[Path, FILE, Parameter(help="The folder: empty, or with such a site, which is replaced at the end.")],
    rounds: Annotated[
        tuple[str, ...], Parameter(name="--round", show_default=False, help="Publish this round; may be repeated.")
    ] = (),
    ladders: Annotated[
        tuple[str, ...], Parameter(name="--ladder", show_default=False, help="Publish this ladder; may be repeated.")
    ] = (),
    analyses: Annotated[
        bool, Parameter(negative="--no-analyses", help="Say in replays what each guess was worth, which takes longest.")
    ] = True,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Write the page and all finished matches of a database as files, for any web host or a USB stick.

    Leaderboards, rounds, players, replays and records are in it as on a server, without sealed rounds and hidden
    players; games in the browser, the daily one and challenges work too. A server may be using the database. What was
    published before is replaced at the end; if the command is stopped, it is whole, and the next run goes on.
    """
    wanted = Wanted(rounds=rounds, ladders=ladders, analyses=analyses)
    done = write_site(server_settings(database=database), out, wanted)
    if as_json:
        print_json({"folder": str(out), **asdict(done)})
    else:
        print_published(out, done)
