"""The options of `evilpegs evaluate` that no other command has."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from evilpegs.options import FILE, WHOLE

Games = Annotated[
    int | None,
    WHOLE,
    Parameter(name="--games", help="Play so many games against drawn secrets, instead of every secret."),
]
Seed = Annotated[int, WHOLE, Parameter(name="--seed", help="Of all chance; with the same seed chance is the same.")]
Jobs = Annotated[int, WHOLE, Parameter(name="--jobs", help="How many processes of this machine share the work.")]
Cluster = Annotated[
    str | None,
    Parameter(name="--cluster", help="The Dask scheduler whose workers do the work, like tcp://HOST:8786."),
]
JournalFile = Annotated[
    Path | None,
    FILE,
    Parameter(name="--journal", help="Keep what is finished in this file, and go on from what it has."),
]
Plot = Annotated[
    Path | None, FILE, Parameter(name="--plot", help="Write the histogram to this file, a .png or a .svg.")
]
Csv = Annotated[
    str | None,
    FILE,
    Parameter(
        name="--csv", allow_leading_hyphen=True, help="Write a line a strategy to this file; - is standard output."
    ),
]
DryRun = Annotated[bool, Parameter(name="--dry-run", show_default=False, help="Say what it will cost, and do nothing.")]
