"""Keys that are equal for positions which differ only by the names of pegs and colors and the order of the turns.

All pegs are alike, and so are all colors: a symmetry permutes them. So part sizes and live sets need to be computed
only once for all images of a history; they are kept under its canonical key. Read `history_key` first, which uses
`search`. `code_sets` computes keys of sets of codes, with another method.

A *row* is a guess of the history, a *vertex* the number of a row or of a color; rows come first. Both get weights that
no renaming changes: hashes of where they occur, refined round after round until no more of them are distinguished.
Vertices that still have equal weights are distinguished by choice: each of them is tried, and the image with the least
hash is taken. The column of a peg holds the colors that the rows have there. Colors that are not yet distinguished are
independent of each other unless they share a column, directly or through others of them, so each *component* of
connected colors is settled alone. Two equal images reveal a symmetry of the history itself, and vertices that it maps
to each other need not both be tried. Source: B. D. McKay, A. Piperno, Practical graph isomorphism II (2014), for the
search; components are our own.

A key holds the whole image. So whatever the hashes are, histories with equal keys are images of each other. The search
is bounded: if it is cut short, images of one history may get different keys, which costs time but is never wrong.
"""
