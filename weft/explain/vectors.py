"""How many work-items LLVM's vectorizer runs at once in each region, read from the optimized IR.

The accesses of a region form an access group (see `work_item_loops`), which LLVM keeps on the vector loads
and stores that it makes of them. A named list of the groups tells after optimization which is whose.
"""

import re
from collections.abc import Sequence

from weft.codegen.optimise import optimise
from weft.codegen.target import Target

_LIST = "weft.regions"
_LIST_LINE = re.compile(rf"^!{_LIST} = !\{{(.*)\}}$", re.MULTILINE)
_GROUP = re.compile(r"!llvm\.access\.group !(\d+)")
_VECTOR = re.compile(r"<(\d+) x \w+>")
_NODE = re.compile(r"^!(\d+) = !\{(.*)\}$", re.MULTILINE)


def lanes_by_region(
    text: str,
    groups: dict[int, str],
    library: Sequence[str | bytes],
    target: Target,
    level: int,
    symbol: str,
) -> dict[int, int]:
    """How many work-items' elements the widest vector holds that LLVM made in each region (1: none).

    A region whose accesses LLVM removed, or replaced by those of a library function, is not in the result.
    `text` is the module with the work-group function, `groups` the number of each region's access group.
    """
    own = {region: max(_widths(text, [group]), default=1) for region, group in groups.items()}
    order = list(groups)
    listed = ", ".join(f"!{groups[region]}" for region in order)
    optimised = optimise([f"{text}\n!{_LIST} = !{{{listed}}}\n", *library], target, level, [symbol])
    match = _LIST_LINE.search(optimised)
    if match is None:
        return {}
    found = {}
    for region, number in zip(order, re.findall(r"\d+", match[1]), strict=True):
        made = _widths(optimised, [number, *_lists_with(optimised, number)])
        if made:
            found[region] = max(1, max(made) // own[region])  # a kernel's own float4 is no lane
    return found


def _lists_with(text: str, number: str) -> list[str]:
    """Lists of access groups, for accesses that belong to several."""
    return [n for n, body in _NODE.findall(text) if f"!{number}" in body.split(", ")]


def _widths(text: str, groups: list[str]) -> set[int]:
    """The widths of what accesses of some access groups move; 1 stands for scalars."""
    wanted = set(groups)
    found = set()
    for line in text.split("\n"):
        group = _GROUP.search(line)
        if group and group[1] in wanted:
            found.update([1, *map(int, _VECTOR.findall(line))])
    return found
