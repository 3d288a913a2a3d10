"""The events of other players' matches as they happen, from an MQTT broker or from a match server.

`broker_feed` yields the messages of a broker, and `watch_feed` the events of a server, each over connections that are
restored when they are lost. `match_book` remembers whose match an event belongs to, and finds events that came twice.
"""
