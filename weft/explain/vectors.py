"""What LLVM's vectorizer does with the work-items of each region, read from the optimized IR.

The accesses of a region form an access group (see `work_item_loops`), which LLVM keeps on the vector loads
and stores that it makes of them. Each access is put into a second group, of its own. Named lists of the
groups tell after optimization which is whose.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import unique

from weft.codegen.optimise import optimise
from weft.remarks import Message
from weft.target import Target

from .recorder import ACCESS

_LIST = "weft.regions"
_LIST_LINE = re.compile(rf"^!{_LIST} = !\{{(.*)\}}$", re.MULTILINE)
_GROUP = re.compile(r"!llvm\.access\.group !(\d+)")
_VECTOR = re.compile(r"<(\d+) x \w+>")
_NODE = re.compile(r"^!(\d+) = !\{(.*)\}$", re.MULTILINE)
_NUMBER = re.compile(r"^!(\d+) = ", re.MULTILINE)
_OWN_LIST = "weft.accesses"
_OWN_LIST_LINE = re.compile(rf"^!{_OWN_LIST} = !\{{(.*)\}}$", re.MULTILINE)
_TAG = re.compile(rf", !{re.escape(ACCESS)} (!\d+)")


@unique
class LLVMForm(Message):
    """What LLVM made of an access, the best first."""

    VECTOR_LOAD = "vector load of {lanes}"
    VECTOR_STORE = "vector store of {lanes}"
    MASKED_LOAD = "masked vector load of {lanes}"
    MASKED_STORE = "masked vector store of {lanes}"
    GATHER = "gather of {lanes}"
    SCATTER = "scatter of {lanes}"
    SCALAR_LOAD = "scalar load"
    SCALAR_STORE = "scalar store"


_PATTERNS = {
    LLVMForm.VECTOR_LOAD: re.compile(r"= load <(\d+) x "),
    LLVMForm.VECTOR_STORE: re.compile(r"\bstore <(\d+) x "),
    LLVMForm.MASKED_LOAD: re.compile(r"@llvm\.masked\.load\.v(\d+)"),
    LLVMForm.MASKED_STORE: re.compile(r"@llvm\.masked\.store\.v(\d+)"),
    LLVMForm.GATHER: re.compile(r"@llvm\.masked\.gather\.v(\d+)"),
    LLVMForm.SCATTER: re.compile(r"@llvm\.masked\.scatter\.v(\d+)"),
    LLVMForm.SCALAR_LOAD: re.compile(r"= load "),
    LLVMForm.SCALAR_STORE: re.compile(r"\bstore "),
}
_RANKS = {form: rank for rank, form in enumerate(_PATTERNS)}
# Forms of which the lanes' addresses are consecutive.
_IN_ORDER = (LLVMForm.VECTOR_LOAD, LLVMForm.VECTOR_STORE, LLVMForm.MASKED_LOAD, LLVMForm.MASKED_STORE)


@dataclass(frozen=True)
class LLVMAccess:
    """An access in the code that LLVM made."""

    form: LLVMForm
    lanes: int

    @property
    def is_in_order(self) -> bool:
        """Whether the lanes' addresses are consecutive."""
        return self.form in _IN_ORDER

    def __str__(self) -> str:
        return self.form.text({"lanes": self.lanes})


@dataclass(frozen=True)
class MadeByLLVM:
    """How many work-items LLVM runs at once in each region (1: no more), and what each access has become.

    Accesses are named by their metadata. Those that LLVM removed or put together are not there.
    """

    lanes: dict[int, int]
    forms: dict[str, LLVMAccess]


def made_by_llvm(
    text: str,
    groups: dict[int, str],
    library: Sequence[str | bytes],
    target: Target,
    level: int,
    symbol: str,
) -> MadeByLLVM:
    """Lets LLVM optimize, and looks at what becomes of the accesses to memory.

    A region whose accesses LLVM removed, or replaced by those of a library function, is not in the result.
    `text` is the module with the work-group function, `groups` the number of each region's access group.
    """
    own = {region: max(_widths(text, [group]), default=1) for region, group in groups.items()}
    order = list(groups)
    listed = ", ".join(f"!{groups[region]}" for region in order)
    text, tags = _with_own_groups(text)
    optimised = optimise([f"{text}\n!{_LIST} = !{{{listed}}}\n", *library], target, level, [symbol])
    forms = _forms(optimised, tags)
    match = _LIST_LINE.search(optimised)
    if match is None:
        return MadeByLLVM({}, forms)
    found = {}
    for region, number in zip(order, re.findall(r"\d+", match[1]), strict=True):
        made = _widths(optimised, [number, *_lists_with(optimised, number)])
        if made:
            found[region] = max(1, max(made) // own[region])  # a kernel's own float4 is no lane
    return MadeByLLVM(found, forms)


def _with_own_groups(text: str) -> tuple[str, list[str]]:
    """The module with a second access group for each access that has a tag, and the tags in their order."""
    following = max(map(int, _NUMBER.findall(text)), default=0) + 1
    tags: dict[str, int] = {}
    nodes = []
    lines = text.split("\n")
    for index, line in enumerate(lines):
        group, tag = _GROUP.search(line), _TAG.search(line)
        if group is None or tag is None:
            continue
        if tag[1] not in tags:
            tags[tag[1]] = following
            nodes.append(f"!{following} = distinct !{{}}")
            following += 1
        nodes.append(f"!{following} = !{{!{group[1]}, !{tags[tag[1]]}}}")
        lines[index] = _TAG.sub("", line).replace(group[0], f"!llvm.access.group !{following}")
        following += 1
    nodes.append(f"!{_OWN_LIST} = !{{{', '.join(f'!{n}' for n in tags.values())}}}")
    return "\n".join([*lines, *nodes]), list(tags)


def _forms(optimised: str, tags: list[str]) -> dict[str, LLVMAccess]:
    """What accesses have become, by their tags."""
    match = _OWN_LIST_LINE.search(optimised)
    if match is None:
        return {}
    owners = dict(zip(re.findall(r"\d+", match[1]), tags, strict=True))
    lists = {
        n: [owners[m] for m in re.findall(r"\d+", body) if m in owners]
        for n, body in _NODE.findall(optimised)
    }
    best: dict[str, LLVMAccess] = {}
    for line in optimised.split("\n"):
        group = _GROUP.search(line)
        for tag in lists.get(group[1], ()) if group else ():
            made = _form(line)
            if made is not None:
                best[tag] = min(best.get(tag, made), made, key=lambda a: (_RANKS[a.form], a.lanes))
    return best


def _form(line: str) -> LLVMAccess | None:
    for form, pattern in _PATTERNS.items():
        if found := pattern.search(line):
            return LLVMAccess(form, int(found[1]) if pattern.groups else 1)
    return None


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
