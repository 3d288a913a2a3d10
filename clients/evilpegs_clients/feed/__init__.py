"""The events of other players' matches as they happen, from an MQTT broker or from a match server.

`broker_feed` yields the messages of a broker, and `watch_feed` the events of a server. Both restore lost connections.
`match_book` remembers the player and the ladder of each match, and finds events that arrive twice.
"""
