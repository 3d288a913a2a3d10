"""What goes over the wire and into the record: messages, codec, commitments, record lines."""
