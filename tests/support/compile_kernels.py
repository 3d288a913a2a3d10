"""Compile the kernels of a server.

Groups of tests that run side by side then find them compiled, and do not each compile them.
"""

from workspaces import new_workspace

from evilpegs_server.codemaking.replies import Codemaking
from evilpegs_server.match.ladders import load_ladders


def main():
    workspace = new_workspace()
    for task in Codemaking(workspace, None).warm_up(load_ladders().values()):
        task.run(workspace)


if __name__ == "__main__":
    main()
