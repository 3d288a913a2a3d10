"""One form for all histories that differ only by the names of pegs and of colors and by the order of the turns.

All pegs are alike, and so are all colors. So the part sizes of a guess, and the live set in coordinates of its own,
need be computed once for all the images of a history: they are kept under its canonical key.

Rows (guesses) and colors get weights which no renaming changes: what stands where, hashed, round after round, until
no more of them are told apart. What is still alike is told apart by choice: each of those that tie is tried, and of
the images that come out the one with the least hash is taken. Colors that tie and meet in no column once the colors
told apart are set aside are independent, so each such *component* is settled alone. Two images that come out equal
show a symmetry of the history itself, and what it carries into each other need not be tried twice.
Source: B. D. McKay, A. Piperno, Practical graph isomorphism II (2014), for the search; components are our own.

A key holds the whole image, so whatever the hashes do, equal keys are images of each other. The search is bounded:
where it is cut short, images of a history may get different keys, which costs time, never truth.

`form` gives the key; `search` goes through a `search_tree` of `weights`, and `image` writes down what it found.
"""
