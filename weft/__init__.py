"""Weft: a performance-portable OpenCL implementation for CPUs, written in Python on LLVM."""

__version__ = "0.2.0"
