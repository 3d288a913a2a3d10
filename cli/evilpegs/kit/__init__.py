"""What several commands are made of: no command imports another one (a contract in pyproject.toml)."""
