"""A symmetry of rules: a permutation of pegs and of colors, and the images of codes under it."""

from typing import NamedTuple

import numpy as np

from evilpegs_game.codes import Code, Columns


class Symmetry(NamedTuple):
    """A permutation of pegs and of colors: peg ``i`` of the image of a code has the color ``colors[code[pegs[i]]]``."""

    pegs: tuple[int, ...]
    colors: tuple[int, ...]

    def image(self, code: Code) -> Code:
        """Return the image of ``code`` under this symmetry."""
        colors = self.colors
        return tuple([colors[code[peg]] for peg in self.pegs])


def convert_image(columns: Columns, there: Symmetry, onto: Symmetry) -> Columns:
    """Convert the images of codes under the symmetry ``there`` to the images of the same codes under ``onto``.

    ``columns`` are the images under ``there``, one per column. The result has the images under ``onto`` in the same
    order, which may not be code order; it is read-only.
    """
    pegs = [there.pegs.index(peg) for peg in onto.pegs]
    colors = np.empty(len(onto.colors), np.uint8)
    colors[list(there.colors)] = onto.colors
    result = colors[columns[pegs]]
    result.flags.writeable = False
    return result
