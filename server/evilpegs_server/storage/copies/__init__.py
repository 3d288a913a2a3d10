"""Copies of a log: backups, mirrors, and copies from one engine to another."""
