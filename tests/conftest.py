"""No test asserts a time, so no example has a deadline."""

from hypothesis import settings

settings.register_profile("evilpegs", deadline=None)
settings.load_profile("evilpegs")
