"""The live feed: what happens on the server, published to an MQTT broker.

`feed` decides in the server what is published. It follows the event log in the database, so a broker that is slow,
absent or restarting delays no match and misses no result. The process in `publisher` owns the connection to the broker.
"""
