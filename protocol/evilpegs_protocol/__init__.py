"""The protocol between server and clients: messages, their JSON text, commitments and the hash chain of a record.

`client_messages` and `server_messages` define every message; `schema.json` is generated from them.
"""
