"""Parsers of the HTTP request headers Accept, Accept-Encoding and If-None-Match."""

from collections.abc import Iterator

from starlette.datastructures import Headers


def whole_list(headers: Headers, name: str) -> str:
    """Return the value of the header ``name``, a list separated by commas; an empty text if the header is missing.

    A client may split the list over several headers with this name. Their values are joined.
    """
    return ", ".join(headers.getlist(name))


def _weighted(header: str) -> Iterator[tuple[str, float]]:
    """Yield the values of a header that is a list, each in lower case and with its weight.

    The weight is the parameter ``q`` of the value, 1 if there is none, and 0 if it is not a number.
    """
    for item in header.split(","):
        value, *parameters = (part.strip().lower() for part in item.split(";"))
        weights = [part.removeprefix("q=") for part in parameters if part.startswith("q=")]
        yield value, _weight(weights[0]) if weights else 1.0


def _weight(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def accepts_media(accept: str, media_type: str) -> bool:
    """Return True if the Accept header ``accept`` admits ``media_type``. An empty header admits every type.

    If several entries of the header fit, such as ``text/html`` and ``text/*``, the most specific one decides.
    """
    if not accept.strip():
        return True
    return _media_weight(accept, media_type) > 0


def prefers_media(accept: str, media_type: str, other: str) -> bool:
    """Return True if the Accept header ``accept`` gives the media type ``media_type`` more weight than ``other``."""
    return _media_weight(accept, media_type) > _media_weight(accept, other)


def _media_weight(accept: str, media_type: str) -> float:
    weights = dict(_weighted(accept))
    ranges = (media_type, media_type.partition("/")[0] + "/*", "*/*")
    return next((weights[each] for each in ranges if each in weights), 0.0)


def accepts_gzip(accept_encoding: str) -> bool:
    """Return True if the Accept-Encoding header ``accept_encoding`` admits gzip."""
    weights = dict(_weighted(accept_encoding))
    return weights.get("gzip", weights.get("*", 0.0)) > 0


def matching_tag(if_none_match: str, tags: tuple[str, ...]) -> str | None:
    """Return the first entity tag in ``tags`` that the If-None-Match header names; None if it names none of them.

    ``if_none_match`` is the value of the header, and ``tags`` are in quotes. The value ``*`` names every tag.
    """
    if if_none_match.strip() == "*":
        return tags[0]
    named = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return next((tag for tag in tags if tag in named), None)
