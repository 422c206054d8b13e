"""Replace pointers that are chosen among elements of a private array by numbers of elements.

    %a = getelementptr float, ptr %m, i64 1
    %b = getelementptr float, ptr %m, i64 2
    %p = select i1 %c, ptr %a, ptr %b               %p.element = select i1 %c, i32 1, i32 2
                                            becomes %p = getelementptr float, ptr %m, i32 %p.element
    %q = getelementptr i8, ptr %p, i64 4            %p.element.1 = add i32 %p.element, 1
                                                    %q = getelementptr float, ptr %m, i32 %p.element.1

LLVM makes such pointers of `m[c ? 1 : 2]`, and programs advance them through arrays: `*next++ = number`. In
lanes each work-item has a column of a private array, if all its addresses are computed from the array by
offsets (`private_arrays_by_lane.py`); pointers that are chosen are none of these.

Keeps LCSSA. An array qualifies if its addresses are used by other addresses, selects, phis, comparisons with
each other, loads and stores of one type, copies, fills and marks of lifetimes, and all offsets are whole
elements. Refuses any other array, and one with a pointer that a divergent loop advances: lanes would gather
from it, and scalar code is shorter with pointers. Linear in the uses of the array.
"""

from collections.abc import Callable
from enum import unique

from weft.analysis.divergence import Divergence
from weft.analysis.memory_effects import is_lifetime_marker
from weft.analysis.private_memory import is_copy, is_fill
from weft.ir import Function, Instruction, Value
from weft.ir.addresses import offset_terms
from weft.ir.builder import Builder
from weft.ir.graph import post_order, reachable
from weft.ir.loops import loop_forest
from weft.ir.slices import erase_unused
from weft.ir.types import I32, I64, ArrayType, Type, VectorType, size_of
from weft.ir.values import ConstantInt, const_int
from weft.remarks import SILENT, Message, Remarks

_CHOICES = ("select", "phi")
# Indices are of 32 bits.
_LARGEST = 1 << 31
# The longest chain of selects of indices that is narrowed.
_DEPTH = 8
# Pointers are compared as unsigned numbers; element numbers may be negative.
_SIGNED = {"ult": "slt", "ule": "sle", "ugt": "sgt", "uge": "sge"}


@unique
class IndexedArrays(Message):
    """What became of a private array into which pointers are chosen."""

    INDEXED = "pointers into a private array become numbers of its elements"
    OTHER_USES = "pointers into a private array stay: one is used by {opcode}, or is chosen among others"
    DIVERGENT = "a pointer into a private array stays: a divergent loop advances it"
    NOT_WHOLE = "pointers into a private array stay: its accesses are not to whole elements of one size"


def index_private_arrays(
    function: Function, divergence: Callable[[], Divergence], remarks: Remarks = SILENT
) -> int:
    """Replace chosen pointers into private arrays; return for how many arrays."""
    count = 0
    for alloca in [i for i in function.entry.instructions if i.opcode == "alloca"]:
        if not isinstance(alloca.attributes["allocated"], ArrayType) or alloca.operands:
            continue
        pointers = _pointers(alloca)
        if not any(p.opcode in _CHOICES for p in pointers):
            continue
        problem = _refusal(pointers)
        if problem is not None:
            remarks.missed(IndexedArrays.OTHER_USES, alloca, opcode=problem.opcode)
            continue
        element = _element(alloca, pointers)
        if element is None:
            remarks.missed(IndexedArrays.NOT_WHOLE, alloca)
            continue
        if _advances_in_divergent_loop(pointers, function, divergence()):
            remarks.missed(IndexedArrays.DIVERGENT, alloca)
            continue
        _Indices(alloca, pointers, element).replace()
        remarks.passed(IndexedArrays.INDEXED, alloca)
        count += 1
    return count


def _pointers(alloca: Instruction) -> dict[Instruction, None]:
    """Return an alloca and the pointers that are computed from it or chosen."""
    steps = ("getelementptr", *_CHOICES)
    return reachable([alloca], lambda p: (u for u in p.users if u.type.is_pointer and u.opcode in steps))


def _refusal(pointers: dict[Instruction, None]) -> Instruction | None:
    """Return a use of the pointers for which there is no form with numbers."""
    for pointer in pointers:
        if any(o.type.is_pointer and o not in pointers for o in pointer.operands):
            return pointer
        for user in pointer.users:
            if user in pointers or is_lifetime_marker(user):
                continue
            if user.opcode in ("load", "store") and user.operands[-1] is pointer and not user.is_ordered:
                if user.opcode == "store" and user.operands[0] is pointer:
                    return user
            elif user.opcode == "icmp":
                if any(o not in pointers for o in user.operands):
                    return user
            elif not (is_copy(user) or is_fill(user)):
                return user
    return None


def _element(alloca: Instruction, pointers: dict[Instruction, None]) -> Type | None:
    """Return the type of all loads and stores of an array, if all offsets are whole elements."""
    accesses = [u for p in pointers for u in p.users if u.opcode in ("load", "store")]
    types = {access.accessed_type for access in accesses}
    if len(types) != 1 or size_of(alloca.attributes["allocated"]) >= _LARGEST:
        return None
    (element,) = types
    size = size_of(element)
    for pointer in pointers:
        if pointer.opcode != "getelementptr":
            continue
        if pointer.operands[0] not in pointers or any(
            isinstance(o.type, VectorType) for o in pointer.operands
        ):
            return None
        terms = offset_terms(pointer.attributes["element_type"], pointer.operands[1:])
        if any(bytes_each % size for _, bytes_each in terms):
            return None
    return element


def _advances_in_divergent_loop(
    pointers: dict[Instruction, None], function: Function, divergence: Divergence
) -> bool:
    """Whether a loop that work-items leave at different times carries a pointer."""
    carried = [p.parent for p in pointers if p.opcode == "phi" and not divergence.runs_uniformly(p.parent)]
    headers = {loop.header for loop in loop_forest(function).loops} if carried else set()
    return any(block in headers for block in carried)


class _Indices:
    """The element numbers of the pointers into an array."""

    def __init__(self, alloca: Instruction, pointers: dict[Instruction, None], element: Type) -> None:
        self._alloca, self._pointers, self._element = alloca, pointers, element
        self._size = size_of(element)
        self._found: dict[Value, Value] = {alloca: const_int(I32, 0)}
        self._narrowed: dict[Value, Value] = {}

    def replace(self) -> None:
        """Compute addresses from the array and a number, and compare numbers."""
        chosen = [p for p in self._pointers if p.opcode in _CHOICES]
        for pointer in chosen:
            if pointer.opcode == "phi":
                self._found[pointer] = Builder(pointer.parent).phi(I32, f"{pointer.name or ''}.element")
        for pointer in self._pointers:
            self._number(pointer)
        for phi in chosen:
            if phi.opcode == "phi":
                made = self._found[phi]
                assert isinstance(made, Instruction)
                for value, source in phi.incoming():
                    made.add_incoming(self._found[value], source)
        compared = {u: None for p in self._pointers for u in p.users if u.opcode == "icmp"}
        for test in compared:
            predicate = test.attributes["predicate"]
            test.attributes["predicate"] = _SIGNED.get(predicate, predicate)
            test.flags = ()
            for place, operand in enumerate(test.operands):
                test.set_operand(place, self._found[operand])
        for pointer in self._pointers:
            if pointer is not self._alloca:
                self._replace(pointer)
        old = [p for p in self._pointers if p is not self._alloca]
        used = {
            o: None for p in old for o in p.operands if isinstance(o, Instruction) and o not in self._pointers
        }
        for pointer in old:
            pointer.set_operands(())
        for pointer in old:
            pointer.erase()
        for value in used:
            erase_unused(value)

    def _number(self, pointer: Instruction) -> None:
        """Compute the number of a pointer, after those that it depends on."""
        for at in post_order([pointer], self._sources):
            if at not in self._found:
                self._found[at] = self._select(at) if at.opcode == "select" else self._moved(at)

    def _sources(self, pointer: Instruction) -> list[Instruction]:
        """Return the pointers that another one is computed from, unless their numbers are known."""
        if pointer in self._found:
            return []
        return [o for o in pointer.operands if isinstance(o, Instruction) and o in self._pointers]

    def _select(self, select: Instruction) -> Value:
        condition, yes, no = select.operands
        b = Builder(select.parent, select)
        return b.select(condition, self._found[yes], self._found[no], f"{select.name or ''}.element")

    def _moved(self, address: Instruction) -> Value:
        number = self._found[address.operands[0]]
        b = Builder(address.parent, address)
        for index, bytes_each in offset_terms(address.attributes["element_type"], address.operands[1:]):
            each = const_int(I32, bytes_each // self._size)
            number = b.add(number, each if index is None else b.mul(self._narrow(index, address), each))
        return number

    def _narrow(self, index: Value, user: Instruction, depth: int = 0) -> Value:
        """Return an index as a number of 32 bits, which holds that of any element that is accessed."""
        if isinstance(index, ConstantInt):
            return const_int(I32, index.value)
        if index in self._narrowed:
            return self._narrowed[index]
        opcode = index.opcode if isinstance(index, Instruction) else ""
        if (
            isinstance(index, Instruction)
            and opcode in ("sext", "zext")
            and size_of(index.operands[0].type) <= 4
        ):
            made = Builder(index.parent, index).cast(opcode, index.operands[0], I32)
        elif isinstance(index, Instruction) and opcode == "select" and depth < _DEPTH:
            yes, no = (self._narrow(o, index, depth + 1) for o in index.operands[1:])
            made = Builder(index.parent, index).select(index.operands[0], yes, no)
        else:
            return Builder(user.parent, user).cast("sext" if size_of(index.type) < 4 else "trunc", index, I32)
        self._narrowed[index] = made
        return made

    def _replace(self, pointer: Instruction) -> None:
        """Let accesses use the address of the array plus a number."""
        users = [u for u in dict.fromkeys(pointer.users) if u not in self._pointers]
        if not users:
            return
        number = self._found[pointer]
        b = Builder.at_start(pointer.parent) if pointer.opcode == "phi" else Builder(pointer.parent, pointer)
        # What is accessed is not before the first element.
        index = b.emit("zext", I64, [number], flags=("nneg",)) if isinstance(number, Instruction) else number
        type = self._element
        made = b.emit("getelementptr", pointer.type, [self._alloca, index], pointer.name, element_type=type)
        made.metadata |= {k: v for k, v in pointer.metadata.items() if k == "dbg"}
        for user in users:
            user.replace_operand(pointer, made)
