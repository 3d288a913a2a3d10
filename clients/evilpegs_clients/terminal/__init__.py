"""Dialogs with a person at a terminal: printed lines, and a prompt below them.

Begin with `screen`. `prompt` is the prompt where lines come from a pipe or a file, which `lines` reads; at a terminal
`editor` lets a person edit the line. `dialog` asks questions on a screen, `words` recognizes commands and answers in
typed lines, and `pegs` formats codes and feedback.
"""
