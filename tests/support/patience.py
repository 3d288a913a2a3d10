"""The time that tests wait. No test asserts a time, but what takes longer than this has failed."""

import os

PATIENCE = 240 * float(os.environ.get("EVILPEGS_PATIENCE", "1"))
"""Seconds to wait for anything before the test fails."""
