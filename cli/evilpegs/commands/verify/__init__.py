"""`evilpegs verify`: the command and its table in `command`, and the verification of a record in `verification`.

`not_proved` lists the claims that no record can prove.
"""
