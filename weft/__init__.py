"""Weft: a performance-portable OpenCL implementation for CPUs, written in Python on LLVM."""

import sys

from weft.module_archive import installed

__version__ = "0.2.0"

if installed is not None:
    sys.meta_path.insert(0, installed)
