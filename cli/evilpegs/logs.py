"""The server's log on standard error: lines for people on a terminal, JSON lines elsewhere."""

import logging
import sys
from typing import Final

import structlog
from structlog.stdlib import BoundLogger, ProcessorFormatter
from structlog.typing import Processor

_STAMPS: Final[tuple[Processor, ...]] = (
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def configure_logging(level: str) -> BoundLogger:
    """Send our log lines from ``level`` on, and warnings of libraries, to standard error; the logger to use.

    Tracebacks are plain: one that shows local variables would tell secrets.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ProcessorFormatter(foreign_pre_chain=_STAMPS, processors=_rendering(sys.stderr.isatty())))
    handler.addFilter(_is_ours_to_know)
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    ours = logging.getLogger("evilpegs")
    ours.setLevel(level.upper())
    logger: BoundLogger = structlog.wrap_logger(
        ours,
        processors=[structlog.stdlib.filter_by_level, *_STAMPS, ProcessorFormatter.wrap_for_formatter],
        wrapper_class=BoundLogger,
    )
    return logger


def _rendering(for_people: bool) -> list[Processor]:
    if for_people:
        plain = structlog.dev.plain_traceback
        renderers: list[Processor] = [structlog.dev.ConsoleRenderer(exception_formatter=plain)]
    else:
        renderers = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    return [ProcessorFormatter.remove_processors_meta, *renderers]


def _is_ours_to_know(record: logging.LogRecord) -> bool:
    """Not the strangers who knock at the port with something else than WebSocket."""
    return record.msg != "opening handshake failed"
