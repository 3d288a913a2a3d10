"""`evilpegs verify`: the command with its table is in `command`, the verification of a record in `verification`.

`not_proved` lists what no record can prove.
"""
