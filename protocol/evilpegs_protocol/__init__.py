"""The protocol between server and clients: messages, their JSON text, commitments and the hash chain of a record."""
