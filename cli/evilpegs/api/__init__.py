"""The functions of the Python API that accept texts where the packages below want objects, and their results.

Everything here is exported by `evilpegs` itself; begin with `evilpegs.api.evaluation`. What needs no such convenience,
for example `evilpegs.Position`, is exported from the package that defines it.
"""
