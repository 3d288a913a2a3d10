"""The programs in other languages and in a bare Python."""

from support.foreign_clients import lone_node, lone_python, node
