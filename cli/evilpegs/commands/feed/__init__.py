"""`evilpegs feed`: matches as they happen, from a match server or an MQTT broker."""
