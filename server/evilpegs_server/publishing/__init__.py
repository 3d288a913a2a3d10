"""A site without a server, in files."""
