"""The functions of the Python API that accept texts such as ``4x6`` in place of objects, and the classes they return.

`evilpegs` exports all of them; names that need no conversion, such as `evilpegs.Position`, come from where they are
defined.
"""
