"""Remove OpenCL's address spaces from a module: the host has one.

LLVM's optimizer expects tables of addresses, copies and comparisons in address space 0, and some passes abort
on others (such as the one that builds relative lookup tables).

Works on text: the modules go to LLVM as text, with libraries that are never parsed here.
"""

from weft.lazy_pattern import lazy_pattern

_SPACE = lazy_pattern(r" addrspace\(\d+\)")


def flatten(ir: str) -> str:
    """Return the module with all pointers in address space 0; casts between spaces become bitcasts."""
    # LLVM corrects names of intrinsics, which contain address spaces, when it parses them.
    parts = ir.split('"')
    # Strings stay unchanged; quotes inside them are escaped.
    parts[::2] = [_flat(part) if "addrspace" in part else part for part in parts[::2]]
    return '"'.join(parts)


def _flat(text: str) -> str:
    # The spaces of OpenCL: replacing text is many times faster than matching a pattern.
    for space in (" addrspace(1)", " addrspace(2)", " addrspace(3)", " addrspace(4)"):
        text = text.replace(space, "")
    if " addrspace(" in text:
        text = _SPACE.sub("", text)
    return text.replace(" addrspacecast ", " bitcast ")
