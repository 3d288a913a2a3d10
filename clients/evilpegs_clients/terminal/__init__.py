"""The terminal kit of every dialog with a person.

Begin with `screen`. `prompt` asks for the lines of a pipe or a file, which `lines` reads; at a terminal `editor` lets a
person edit the line. `dialog` asks questions on a screen, `words` tells commands from codes, and `pegs` formats codes
and feedback.
"""
