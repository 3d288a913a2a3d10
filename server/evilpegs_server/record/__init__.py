"""The record of a match, as a log of hashed events. Begin with `event_log`."""
