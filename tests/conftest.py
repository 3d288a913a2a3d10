"""No test asserts a time, so no example has a deadline. As plain Python the slow kernels get fewer examples."""

import numba
from hypothesis import settings

settings.register_profile("evilpegs", deadline=None, max_examples=20 if numba.config.DISABLE_JIT else 100)
settings.load_profile("evilpegs")
