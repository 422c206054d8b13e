"""Takes the address spaces of OpenCL out of a module: the host has one.

LLVM's optimizer expects tables of addresses, copies and comparisons in address space 0, and some of its
passes end the process when they find others (the one that makes relative look-up tables does).
"""

import re

# Strings come first, so that what stands in them stays as it is.
_SPACE = re.compile(r'"[^"]*"| addrspace\(\d+\)|\baddrspacecast\b')


def flatten(ir: str) -> str:
    """The module with all pointers in address space 0; casts between spaces become casts to the same type."""
    # Names of intrinsics, which tell their address spaces, are put right by LLVM as it reads them.
    return _SPACE.sub(_replacement, ir)


def _replacement(match: re.Match[str]) -> str:
    text = match[0]
    if text[0] == '"':
        return text
    return "" if text[0] == " " else "bitcast"
