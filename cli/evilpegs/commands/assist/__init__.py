"""assist."""
