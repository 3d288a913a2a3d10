"""The protocol between server and clients: messages, their JSON text, commitments and the hash chain of a record.

Begin with `client_messages` and `server_messages`, which define every message; `schema.json` is generated from them.
`codec` converts text to messages and back, `commitment` derives the commitment and the secret of a game from a random
nonce, and `canonical` computes the hashes of a record. `strict_json` reads the JSON of messages and of record files.
"""
