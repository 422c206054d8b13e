"""Add alias scopes for accesses through different arguments, in loops that benefit.

    for (k = 0; k < n; k++) out[i] += a[k];

A store to `out` may alias `a`, so the sum goes through memory in each iteration. Buffers that do not overlap,
or `restrict`, rule that out: accesses get scopes (`!alias.scope`) and the scopes that they do not alias
(`!noalias`), one for each argument that is known to overlap no other.

Runs last, on a work-group function. Only loops of the kernel count, not work-item loops, whose accesses are
declared parallel: a loop must contain a store through one argument and an access through another, one of them
at a loop-invariant address. Refuses if all these arguments may overlap. Linear in loops times instructions.
"""

from collections.abc import Collection, Mapping
from enum import unique

from weft.analysis.evolution import LoopEvolution, Wrapping
from weft.ir import Function, Instruction, Value
from weft.ir.addresses import constant_distance
from weft.ir.loops import Loop
from weft.ir.values import Poison
from weft.remarks import SILENT, Message, Remarks
from weft.transform.workgroup.work_item_loops import kernel_loops

from .lane_accesses import accessed

_STEPS = (
    "getelementptr",
    "addrspacecast",
    "bitcast",
    "freeze",
    "insertelement",
    "extractelement",
    "shufflevector",
)


@unique
class AliasScopes(Message):
    """Remarks about loops that access memory through several arguments."""

    ADDED = "accesses through {buffers} arguments have alias scopes: no other argument points to their memory"
    MAY_OVERLAP = "a loop accesses a loop-invariant address, but buffers may overlap"


def add_alias_scopes(function: Function, disjoint: Mapping[int, bool], remarks: Remarks = SILENT) -> bool:
    """Add alias scopes to accesses through arguments; return whether any loop benefits.

    `disjoint` tells, for the offset of each buffer pointer in the argument block, whether no other pointer
    accesses its memory.
    """
    bases = argument_bases(function, disjoint)
    if len(bases) < 2 or not (remarks or any(bases.values())):
        return False
    accesses = {i: base for i in function.instructions() if (base := base_of_access(i, bases)) is not None}
    loops = [loop for loop in kernel_loops(function) if not loop.children]
    if not any(_gains(loop, accesses, bases) for loop in loops):
        if remarks and any(_gains(loop, accesses, dict.fromkeys(bases, True)) for loop in loops):
            remarks.missed(AliasScopes.MAY_OVERLAP)
        return False
    module = function.parent
    domain = module.add_metadata("distinct !{{self}}")
    scopes = {
        b: module.add_metadata(f"distinct !{{{{self}}, {domain}}}") for b, alone in bases.items() if alone
    }
    marks: dict[Value, dict[str, str]] = {}
    for base in bases:
        others = [s for b, s in scopes.items() if b is not base]
        marks[base] = {"noalias": module.add_metadata(f"!{{{', '.join(others)}}}")} if others else {}
        if base in scopes:
            marks[base]["alias.scope"] = module.add_metadata(f"!{{{scopes[base]}}}")
    for access, base in accesses.items():
        access.metadata |= marks[base]
    remarks.passed(AliasScopes.ADDED, buffers=len(scopes))
    return True


def argument_bases(function: Function, disjoint: Mapping[int, bool] | None) -> dict[Value, bool]:
    """Return the pointers loaded from those offsets (None: any) of the argument block, each with its fact."""
    block = function.arguments[1]
    bases: dict[Value, bool] = {}
    for i in function.entry.instructions:
        base, offset = (
            constant_distance(i.operands[0]) if i.opcode == "load" and i.type.is_pointer else (i, 0)
        )
        if base is block and (disjoint is None or offset in disjoint):
            bases[i] = disjoint is None or disjoint[offset]
    return bases


def _pointer(i: Instruction) -> Value | None:
    """Return the pointer by which an instruction accesses memory."""
    if i.opcode in ("load", "store"):
        return i.operands[-1]
    return i.operands[0] if i.opcode in ("atomicrmw", "cmpxchg") else accessed(i)


def base_of_access(i: Instruction, bases: Collection[Value]) -> Value | None:
    """Return the argument through which an access goes; None if it is not certain."""
    pointer = _pointer(i)
    while isinstance(pointer, Instruction) and pointer.opcode in _STEPS:
        if pointer.opcode == "insertelement":
            # A splat of one pointer starts with this.
            pointer = pointer.operands[1] if isinstance(pointer.operands[0], Poison) else None
        elif pointer.opcode == "shufflevector" and not isinstance(pointer.operands[1], Poison):
            pointer = None
        else:
            pointer = pointer.operands[0]
    return pointer if pointer is not None and pointer in bases else None


def _gains(loop: Loop, accesses: Mapping[Instruction, Value], bases: Mapping[Value, bool]) -> bool:
    accesses_here = [i for i in loop.instructions() if i in accesses]
    steps = LoopEvolution(loop, Wrapping.IGNORED)
    invariant = {i for i in accesses_here if steps.is_invariant(_pointer(i) or i)}
    stores = [i for i in accesses_here if i.info.writes and i.opcode != "load"]
    for store in stores:
        for access in accesses_here:
            store_base, access_base = accesses[store], accesses[access]
            if store_base is access_base or not (bases[store_base] or bases[access_base]):
                continue
            if store in invariant or access in invariant:
                return True
    return False
