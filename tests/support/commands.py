"""Every command of `evilpegs` by its words, with the function that it runs."""

from importlib import import_module

from evilpegs.commands import COMMANDS, GROUPS

FUNCTIONS = {(name,): (name, name.replace("-", "_")) for name in COMMANDS} | {
    (group, function.partition("_")[0]): (group, function) for group, names in GROUPS.items() for function in names
}


def command_function(path):
    name, function = FUNCTIONS[path]
    return getattr(import_module(f"evilpegs.commands.{name.replace('-', '_')}"), function)
