"""Writing a site to a folder, and saying what is in it."""

import shlex
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

from rich.progress import Progress, TaskID
from structlog.stdlib import BoundLogger

from evilpegs.database import bring_up_to_date, check_database_file, now_ms
from evilpegs.kit.logs import configure_logging
from evilpegs.output import console, pluralize, progress
from evilpegs.signals import ended_in_order, run_interruptibly
from evilpegs_server import listening
from evilpegs_server.publishing.folder import SiteFolder
from evilpegs_server.publishing.site import Published, Report, Wanted, publish
from evilpegs_server.readers import running_readers
from evilpegs_server.settings import Settings
from evilpegs_server.show_process import ShowSetup
from evilpegs_server.storage.copies.backup import readable_database
from evilpegs_server.storage.server_key import key_path


def write_site(settings: Settings, out: Path, wanted: Wanted) -> Published:
    """Publish the database of these settings, with progress on standard error. Raises PublishError."""
    check_database_file(settings.database)
    log = configure_logging("warning", settings.log_format)
    key = key_path(settings.database, settings.server_key)
    with (
        ended_in_order(),
        readable_database(settings.database, log) as url,
        closing(SiteFolder(out)) as folder,
        progress(console(sys.stderr)) as bar,
    ):
        bring_up_to_date(url)
        shown = settings.model_copy(update={"database": url, "server_key": key, "mqtt": None})
        task = bar.add_task("reading the database", total=None)
        return run_interruptibly(_publish(shown, folder, wanted, log, partial(_move, bar, task)))


async def _publish(
    settings: Settings, folder: SiteFolder, wanted: Wanted, log: BoundLogger, report: Report
) -> Published:
    setup = ShowSetup(settings, {}, frozenset(), listening.find_game_address(settings), sent=None)
    async with running_readers(setup, log) as readers:
        return await publish(readers, folder, wanted, now_ms(), report)


def _move(bar: Progress, task: TaskID, what: str, done: int, end: int | None) -> None:
    bar.update(task, description=what, completed=done, total=end)


def print_published(out: Path, done: Published) -> None:
    screen = console()
    each = f", {done.records_bytes / done.matches / 1000:.1f} kB for a record" if done.matches else ""
    if done.analyses:
        each += f" and {done.analyses_bytes / done.analyses / 1000:.1f} kB for an analysis"
    size = f"{done.all_bytes / 1e6:.1f} MB"
    screen.print(f"{out}: {pluralize(done.matches, 'match', 'matches')} in {size}{each}")
    if done.computed:
        rate = f"{done.computed / done.seconds:.1f} per second"
        screen.print(f"{pluralize(done.computed, 'analysis was', 'analyses were')} computed, {rate}")
    if done.without_luck:
        screen.print(f"{pluralize(done.without_luck, 'game')} count without luck, which is not measured yet")
    screen.print(f"look at it:  python3 -m http.server --directory {shlex.quote(str(out))} 8080")
