"""The log of `evilpegs serve` on standard error: text on a terminal, and lines of JSON elsewhere."""

import logging
import os
import sys
from typing import Final, Literal

import structlog
from structlog.stdlib import BoundLogger, ProcessorFormatter
from structlog.typing import EventDict, Processor, WrappedLogger

from evilpegs_clients.printable import printable

LogFormat = Literal["text", "json"]
_EVENT_WIDTH: Final = 0  # no padding, because most messages end their line


def configure_logging(level: str, log_format: LogFormat | None = None) -> BoundLogger:
    """Send log lines of at least ``level``, and warnings of libraries, to standard error; return the logger to use.

    By default the log is text with local times on a terminal, and JSON with UTC elsewhere.
    """
    is_text = sys.stderr.isatty() if log_format is None else log_format == "text"
    level_and_time: tuple[Processor, ...] = (structlog.stdlib.add_log_level, _time_stamper(is_text))
    handler = logging.StreamHandler(sys.stderr)
    renderers = [ProcessorFormatter.remove_processors_meta, *(_text_renderers() if is_text else _json_renderers())]
    handler.setFormatter(ProcessorFormatter(foreign_pre_chain=level_and_time, processors=renderers))
    handler.addFilter(_is_relevant)
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


def _time_stamper(is_text: bool) -> Processor:
    if is_text:
        return structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False)
    return structlog.processors.TimeStamper(fmt="iso", utc=True)


def _text_renderers() -> list[Processor]:
    renderer = structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty() and not os.environ.get("NO_COLOR"),
        pad_event_to=_EVENT_WIDTH,
        pad_level=False,
        exception_formatter=structlog.dev.plain_traceback,  # without local variables, which may be secrets
    )
    return [_make_printable, renderer]


def _json_renderers() -> list[Processor]:
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]


def _make_printable(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    # a path or a message may contain text from strangers, which a terminal could obey
    return {name: printable(value) if isinstance(value, str) else value for name, value in event.items()}


def _is_relevant(record: logging.LogRecord) -> bool:
    # strangers cause these lines, with connections that do not speak WebSocket
    return record.msg != "opening handshake failed"
