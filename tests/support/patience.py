"""How long tests wait. No test asserts a time: whatever takes longer than this has failed, also on a loaded machine."""

PATIENCE = 120
"""Seconds to wait for anything before the test fails."""
