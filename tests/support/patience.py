"""The time that tests wait. No test asserts a time, but what takes longer than this has failed."""

PATIENCE = 120
"""Seconds to wait for anything before the test fails."""
