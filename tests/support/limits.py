"""The limits of a server with default settings, with changes."""

from evilpegs_server.settings import Settings


def admission_limits(**changes):
    return Settings(**changes).admission_limits


def guest_limits(**changes):
    return Settings(**changes).guest_limits
