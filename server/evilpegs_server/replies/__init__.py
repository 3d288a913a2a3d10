"""The codemakers of a server, and what they may cost. Begin with `codemaking`."""
