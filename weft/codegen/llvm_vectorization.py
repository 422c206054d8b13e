"""Read from optimized IR how LLVM vectorized the work-items of each region.

The accesses of a region form an access group (see `work_item_loops`), which LLVM keeps on the resulting
vector loads and stores. Each access also gets its own second group. Named lists of the groups identify them
after optimization.

Works on text: most of the optimized code is irrelevant, and is not parsed.
"""

import re
from collections.abc import Mapping, Sequence
from enum import unique

from weft.ir.tags import ACCESS
from weft.lazy_pattern import lazy_pattern
from weft.remarks import Message, Remarks
from weft.target import Target

from .optimise import optimise

_LIST = "weft.regions"
_LIST_LINE = lazy_pattern(rf"^!{_LIST} = !\{{(.*)\}}$", re.MULTILINE)
_GROUP = lazy_pattern(r"!llvm\.access\.group !(\d+)")
_VECTOR = lazy_pattern(r"<(\d+) x \w+>")
_NODE = lazy_pattern(r"^!(\d+) = !\{(.*)\}$", re.MULTILINE)
_NUMBER = lazy_pattern(r"^!(\d+) = ", re.MULTILINE)
_OWN_LIST = "weft.accesses"
_OWN_LIST_LINE = lazy_pattern(rf"^!{_OWN_LIST} = !\{{(.*)\}}$", re.MULTILINE)
_TAG = lazy_pattern(rf", !{re.escape(ACCESS)} !(\d+)")
_TAG_NODE = lazy_pattern(r"^!(\d+) = !\{i32 (\d+)\}$", re.MULTILINE)


@unique
class MadeByLLVM(Message):
    """How LLVM vectorized the code that was left to it."""

    REGION = "region r{region}: {lanes} work-items at once"
    ACCESS = "{form}"


@unique
class LLVMForm(Message):
    """The form that LLVM gave to an access, best first."""

    VECTOR_LOAD = "vector load of {lanes}"
    VECTOR_STORE = "vector store of {lanes}"
    MASKED_LOAD = "masked vector load of {lanes}"
    MASKED_STORE = "masked vector store of {lanes}"
    GATHER = "gather of {lanes}"
    SCATTER = "scatter of {lanes}"
    SCALAR_LOAD = "scalar load"
    SCALAR_STORE = "scalar store"


# Forms whose addresses are consecutive.
CONSECUTIVE_FORMS = (LLVMForm.VECTOR_LOAD, LLVMForm.VECTOR_STORE, LLVMForm.MASKED_LOAD, LLVMForm.MASKED_STORE)
_PATTERNS = {
    LLVMForm.VECTOR_LOAD: lazy_pattern(r"= load <(\d+) x "),
    LLVMForm.VECTOR_STORE: lazy_pattern(r"\bstore <(\d+) x "),
    LLVMForm.MASKED_LOAD: lazy_pattern(r"@llvm\.masked\.load\.v(\d+)"),
    LLVMForm.MASKED_STORE: lazy_pattern(r"@llvm\.masked\.store\.v(\d+)"),
    LLVMForm.GATHER: lazy_pattern(r"@llvm\.masked\.gather\.v(\d+)"),
    LLVMForm.SCATTER: lazy_pattern(r"@llvm\.masked\.scatter\.v(\d+)"),
    LLVMForm.SCALAR_LOAD: lazy_pattern(r"= load "),
    LLVMForm.SCALAR_STORE: lazy_pattern(r"\bstore "),
}
_RANKS = {form: rank for rank, form in enumerate(_PATTERNS)}


def report_vectorization(
    text: str,
    groups: Mapping[int, str],
    library: Sequence[str | bytes],
    target: Target,
    level: int,
    symbol: str,
    remarks: Remarks,
) -> None:
    """Run LLVM's optimizer and report the vectorization of regions and memory accesses.

    Nothing is reported for regions whose accesses LLVM removed or replaced by those of a library function, or
    for accesses that it merged. `text` is the module with the work-group function, `groups` the access group
    of each region.
    """
    own = {region: max(_widths(text, [group[1:]]), default=1) for region, group in groups.items()}
    order = list(groups)
    text, tags = _with_own_groups(text)
    optimised = optimise(
        [f"{text}\n!{_LIST} = !{{{', '.join(groups.values())}}}\n", *library], target, level, [symbol]
    )
    for access, (form, lanes) in _forms(optimised, tags).items():
        remarks.analysis(MadeByLLVM.ACCESS, access=access, form=form, lanes=lanes)
    match = _LIST_LINE.search(optimised)
    if match is None:
        return
    for region, number in zip(order, re.findall(r"\d+", match[1]), strict=True):
        widths = _widths(optimised, [number, *_lists_with(optimised, number)])
        if widths:  # the kernel's own vectors are not lanes
            remarks.analysis(MadeByLLVM.REGION, region=region, lanes=max(1, max(widths) // own[region]))


def _with_own_groups(text: str) -> tuple[str, list[int]]:
    """Return the module with a second access group for each numbered access, and the numbers in order."""
    numbers = {node: int(number) for node, number in _TAG_NODE.findall(text)}
    next_node = max(map(int, _NUMBER.findall(text)), default=0) + 1
    own: dict[int, int] = {}
    nodes = []
    lines = text.split("\n")
    for index, line in enumerate(lines):
        group, tag = _GROUP.search(line), _TAG.search(line)
        if group is None or tag is None:
            continue
        access = numbers[tag[1]]
        if access not in own:
            own[access] = next_node
            nodes.append(f"!{next_node} = distinct !{{}}")
            next_node += 1
        nodes.append(f"!{next_node} = !{{!{group[1]}, !{own[access]}}}")
        lines[index] = _TAG.sub("", line).replace(group[0], f"!llvm.access.group !{next_node}")
        next_node += 1
    nodes.append(f"!{_OWN_LIST} = !{{{', '.join(f'!{n}' for n in own.values())}}}")
    return "\n".join([*lines, *nodes]), list(own)


def _forms(optimised: str, accesses: list[int]) -> dict[int, tuple[LLVMForm, int]]:
    """Return the form and number of lanes of each access after optimization, by access number."""
    match = _OWN_LIST_LINE.search(optimised)
    if match is None:
        return {}
    owners = dict(zip(re.findall(r"\d+", match[1]), accesses, strict=True))
    lists = {
        n: [owners[m] for m in re.findall(r"\d+", body) if m in owners]
        for n, body in _NODE.findall(optimised)
    }
    best: dict[int, tuple[LLVMForm, int]] = {}
    for line in optimised.split("\n"):
        group = _GROUP.search(line)
        for access in lists.get(group[1], ()) if group else ():
            form = _form(line)
            if form is not None:
                best[access] = min(best.get(access, form), form, key=lambda m: (_RANKS[m[0]], m[1]))
    return best


def _form(line: str) -> tuple[LLVMForm, int] | None:
    for form, pattern in _PATTERNS.items():
        if found := pattern.search(line):
            return form, int(found[1]) if found.re.groups else 1
    return None


def _lists_with(text: str, number: str) -> list[str]:
    """Return lists of access groups that contain a group, for accesses that belong to several groups."""
    return [n for n, body in _NODE.findall(text) if f"!{number}" in body.split(", ")]


def _widths(text: str, groups: list[str]) -> set[int]:
    """Return the vector widths of the accesses in some access groups; 1 for scalars."""
    wanted = set(groups)
    widths = set()
    for line in text.split("\n"):
        group = _GROUP.search(line)
        if group and group[1] in wanted:
            widths.update([1, *map(int, _VECTOR.findall(line))])
    return widths
