"""`evilpegs verify`: the command and what it prints in `command`, the verification of a record in `verification`.

`not_proved` lists the claims that no record can prove.
"""
