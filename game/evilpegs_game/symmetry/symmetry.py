from typing import NamedTuple

import numpy as np

from evilpegs_game.codes import Code, Columns


class Symmetry(NamedTuple):
    """A permutation of pegs and of colors: peg ``i`` of an image has the color ``colors[code[pegs[i]]]``."""

    pegs: tuple[int, ...]
    colors: tuple[int, ...]

    def image(self, code: Code) -> Code:
        colors = self.colors
        return tuple([colors[code[peg]] for peg in self.pegs])


def convert_image(columns: Columns, there: Symmetry, onto: Symmetry) -> Columns:
    """Convert images of codes under ``there`` to the images of the same codes under ``onto``.

    The result is read-only and keeps the order of ``columns``, which may not be code order.
    """
    pegs = [there.pegs.index(peg) for peg in onto.pegs]
    colors = np.empty(len(onto.colors), np.uint8)
    colors[list(there.colors)] = onto.colors
    result = colors[columns[pegs]]
    result.flags.writeable = False
    return result
