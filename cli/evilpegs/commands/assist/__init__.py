"""`evilpegs assist`: help for a person who plays against a human codemaker.

Begin with `command.py`. `advice.py` computes the candidates left and the best guesses, `dialog.py` is the dialog,
`input.py` parses the lines that are typed, and `screen.py` prints the answers.
"""
