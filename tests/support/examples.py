"""The number of examples that hypothesis draws: few in `make test`, many in `make test-all`."""

from hypothesis import settings


def share(percent):
    """Return this share of the profile's examples, for tests whose examples are cheap or expensive."""
    return max(3, settings.default.max_examples * percent // 100)
