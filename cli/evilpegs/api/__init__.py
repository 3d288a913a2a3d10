"""The functions of the Python API that accept texts such as ``4x6`` in place of objects, and the classes they return.

Everything here is exported by `evilpegs` itself; begin with `evilpegs.api.evaluation`. Names that need no conversion,
for example `evilpegs.Position`, are exported from the package that defines them.
"""
