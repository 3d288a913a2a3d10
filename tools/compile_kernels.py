"""Compile the kernels of a server, of evaluations and of the solver.

Groups of tests that run side by side then find them compiled, and do not each compile them.
"""

import evilpegs
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.replies.codemaking import Codemaking
from support.workspaces import new_workspace


def main():
    workspace = new_workspace()
    for task in Codemaking(workspace, None).warm_up(load_ladders().values()):
        task.run(workspace)
    evilpegs.evaluate("minimax", "3x3")
    evilpegs.solve("3x3")


if __name__ == "__main__":
    main()
