"""The entry point of ``python -m evilpegs``."""

from evilpegs.starting import run

run()
