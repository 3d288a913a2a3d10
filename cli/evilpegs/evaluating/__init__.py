"""How `evilpegs evaluate` works: what is evaluated, in which units, where they run, what is kept of them."""
