"""The live feed: what happens on the server, published to an MQTT broker.

Two processes share the work. The server decides what is published; begin with `feed`. It follows the event log in the
database, so a broker that is slow, absent or restarting delays no match and misses no result. The publisher process, in
`publisher`, owns the connection to the broker. The two processes exchange `publisher_messages`. `publisher_process` is
the server's side of the publisher process, and `broker_connection` the server's side of one connection to the broker.
"""
