"""The record of a match as a log of hashed events.

Begin with `event_log`, an append-only list of entries in which each hash covers the one before. `encoding` turns the
facts of a match into the events of its log, and events back into facts. `recorder` writes the log of a match and names
the facts that are stored beside it. `replay` shows a log to people, and `match_analysis` adds an analysis of each
guess.
"""
