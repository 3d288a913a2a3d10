"""The database: everything that outlives the server process. Begin with `tables`."""
