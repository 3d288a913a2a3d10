"""Which replies evil may give."""

from evilpegs_clients.independent.codes import Feedback, Parts


def evil_replies(parts: Parts, all_black: Feedback) -> list[Feedback]:
    """The feedbacks of the largest parts, in order; all-black only where there is no other."""
    others = {given: size for given, size in parts.items() if given != all_black} or parts
    largest = max(others.values())
    return sorted(given for given, size in others.items() if size == largest)
