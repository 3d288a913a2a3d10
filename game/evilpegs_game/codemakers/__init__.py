"""codemakers."""
