"""Checks that a server was honest, from nothing but the events it sent; begin with `verify`."""
