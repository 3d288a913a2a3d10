"""`evilpegs assist`: help for a person who plays against a human codemaker."""
