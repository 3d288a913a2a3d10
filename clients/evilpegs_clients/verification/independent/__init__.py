"""A second opinion on a record: written apart from the codemaker, and from everything that the codemaker stands on.

Nothing here is imported from the game or the protocol. The definitions are those of the protocol's page, written once
more and as plainly as they can be: first all codes, then those that every feedback allows, then the parts.
"""
