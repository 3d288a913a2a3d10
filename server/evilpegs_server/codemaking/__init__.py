"""codemaking."""
