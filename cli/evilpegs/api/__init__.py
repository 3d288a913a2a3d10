"""The functions of the Python API that accept texts where the packages below need objects, and their results.

Everything here is exported by `evilpegs` itself; begin with `evilpegs.api.evaluation`. Names that need no conversion,
for example `evilpegs.Position`, are exported from the package that defines them.
"""
