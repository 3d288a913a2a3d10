"""The publisher process, the only one that talks to the MQTT broker.

It has a process of its own because MQTT costs the interpreter a tenth of a millisecond per message, which would hold up
the replies of a busy server. Begin with `program`. `publisher` does what the server asks for, `reconnection` connects
to the broker again, and `client` is the MQTT client. Nothing here knows matches, ladders or the database.
"""
