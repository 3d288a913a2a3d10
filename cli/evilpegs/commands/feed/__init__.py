"""`evilpegs feed`: matches as they happen, from a match server or an MQTT broker.

`command.py` is the command, `follow.py` prints events, `lines.py` words them for people, `board.py` keeps
leaderboards on the screen, and `missing_ladder.py` hints at a ladder that nobody publishes.
"""
