"""`evilpegs demo`: everything at once, in under a minute."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from evilpegs.demonstration import Plan

NOT_VERIFIED: Final = 1


def demo() -> int:
    """Watch bots play matches on a real server, and the leaderboards that come of them.

    Starts `evilpegs serve` on a free port with a database in a temporary directory, lets bots of five strategies
    play timed matches against the fixed and the evil codemaker, shows the leaderboards and one game from the log,
    and stops the server. Takes under a minute and leaves nothing behind.
    """
    from evilpegs.demonstration import FULL

    return show(FULL)


def show(plan: "Plan") -> int:
    """Play a plan on a server in a temporary directory and return the exit status."""
    import asyncio
    import tempfile
    from pathlib import Path

    from evilpegs.demonstration import demonstrate
    from evilpegs.output import console
    from evilpegs.stopping import cancelled_by_signals

    async def run() -> bool:
        with cancelled_by_signals(), tempfile.TemporaryDirectory(prefix="evilpegs-demo-") as folder:
            return await demonstrate(plan, Path(folder), console())

    return 0 if asyncio.run(run()) else NOT_VERIFIED
