"""The log of a server, on standard error."""

import logging
import os
import sys

import structlog
from structlog.stdlib import BoundLogger, ProcessorFormatter
from structlog.typing import EventDict, Processor, WrappedLogger

from evilpegs.options import LogFormat
from evilpegs_clients.printable import printable


def configure_logging(level: str, log_format: LogFormat | None = None) -> BoundLogger:
    """Send log lines of at least ``level``, and warnings of libraries, to standard error; return the logger to use."""
    is_text = sys.stderr.isatty() if log_format is None else log_format == "text"
    renderers: list[Processor]
    if is_text:
        stamper = structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False)
        lines = structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty() and not os.environ.get("NO_COLOR"),
            pad_event_to=0,  # because most messages end their line
            pad_level=False,
            exception_formatter=structlog.dev.plain_traceback,  # without local variables, which may be secrets
        )
        renderers = [_make_printable, lines]
    else:
        stamper = structlog.processors.TimeStamper(fmt="iso", utc=True)
        renderers = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    level_and_time: tuple[Processor, ...] = (structlog.stdlib.add_log_level, stamper)
    handler = logging.StreamHandler(sys.stderr)
    processors = [ProcessorFormatter.remove_processors_meta, *renderers]
    handler.setFormatter(ProcessorFormatter(foreign_pre_chain=level_and_time, processors=processors))
    # strangers cause these lines, with connections that do not speak WebSocket
    handler.addFilter(lambda record: record.msg != "opening handshake failed")
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("evilpegs_game").handlers.clear()  # which printed for commands without a log
    ours = logging.getLogger("evilpegs")
    ours.setLevel(level.upper())
    logger: BoundLogger = structlog.wrap_logger(
        ours,
        processors=[structlog.stdlib.filter_by_level, *level_and_time, ProcessorFormatter.wrap_for_formatter],
        wrapper_class=BoundLogger,
    )
    return logger


def _make_printable(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    # a path or a message may contain text from strangers, which a terminal could obey
    return {name: printable(value) if isinstance(value, str) else value for name, value in event.items()}
