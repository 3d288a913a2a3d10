"""The record of a match as a log of hashed events.

Begin with `event_log`, an append-only list of entries in which each hash covers the one before. `encoding` turns
facts, which are events of a match's state machine, into the events of its log, and back. `recorder` appends the events
of a match to its log and collects the facts that are stored beside the log. `signing` signs finished records. `replay`
reads a log as games and turns for people, and `match_analysis` adds an analysis of each guess.
"""
