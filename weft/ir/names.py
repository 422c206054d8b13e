"""Unique names of blocks."""

from .function import Block, Function


def unique_names(function: Function) -> dict[Block, str]:
    """Return a unique name for each block of a function: its own, with a numeric suffix if it is taken."""
    names: dict[Block, str] = {}
    taken: set[str] = set()
    for block in function.blocks:
        base = block.name or "block"
        name, count = base, 0
        while name in taken:
            count += 1
            name = f"{base}.{count}"
        names[block] = name
        taken.add(name)
    return names
