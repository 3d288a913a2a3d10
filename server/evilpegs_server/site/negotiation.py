from collections.abc import Iterator

from starlette.datastructures import Headers


def whole_list(headers: Headers, name: str) -> str:
    """Return the value of a list header, joined from all headers of that name."""
    return ", ".join(headers.getlist(name))


def _weighted(header: str) -> Iterator[tuple[str, float]]:
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
    """Return True if an Accept header admits ``media_type``: an empty one does, and the most specific entry decides."""
    if not accept.strip():
        return True
    return _media_weight(accept, media_type) > 0


def prefers_media(accept: str, media_type: str, other: str) -> bool:
    """Return True if an Accept header gives ``media_type`` more weight than ``other``."""
    return _media_weight(accept, media_type) > _media_weight(accept, other)


def _media_weight(accept: str, media_type: str) -> float:
    weights = dict(_weighted(accept))
    ranges = (media_type, media_type.partition("/")[0] + "/*", "*/*")
    return next((weights[each] for each in ranges if each in weights), 0.0)


def accepts_gzip(accept_encoding: str) -> bool:
    weights = dict(_weighted(accept_encoding))
    return weights.get("gzip", weights.get("*", 0.0)) > 0


def matching_tag(if_none_match: str, tags: tuple[str, ...]) -> str | None:
    """Return the first of the quoted ``tags`` that the header names; ``*`` names every tag."""
    if if_none_match.strip() == "*":
        return tags[0]
    named = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return next((tag for tag in tags if tag in named), None)
