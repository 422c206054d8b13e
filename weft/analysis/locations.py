"""Which bytes accesses of a kernel touch, and whether two of them may touch the same.

An address is a root and an affine sum of bytes after it:

    a[i * n + j + 1].y       root %a, 8 bytes for each of %sum, 12 bytes more

Two addresses of the same root and the same terms differ by a constant number of bytes. Others are told apart
by the objects that they lead to: arguments, variables and allocas. Two buffers are different objects if one
of them is known to overlap no other, by `restrict` or for this form of launches; `Locations.relied` tells
whether that was needed.

Only accesses of one work-item are compared. What other work-items access is no concern of the caller's
between two points of synchronization: if both touch the same bytes, and one writes, there is a data race.
"""

from collections.abc import Mapping

from weft.dataclasses import dataclass
from weft.ir import Argument, GlobalVariable, Instruction, Value
from weft.ir.address_spaces import LOCAL, MEETING
from weft.ir.addresses import offset_terms
from weft.ir.types import I64, VectorType, address_space
from weft.ir.values import ConstantExpression, constant_of

# Addresses have 64 bits, and wrap around.
_ADDRESSES = 1 << 64
# What makes a pointer into another one to the same object, and what chooses among pointers.
_CASTS = frozenset(("addrspacecast", "bitcast"))
_CHOICES = frozenset(("phi", "select", "freeze"))
# Pointers that are looked at for the objects of one.
_MOST_POINTERS = 64
# Terms of an address; what has more is an address of its own.
_MOST_TERMS = 64


@dataclass(frozen=True)
class Location:
    """`size` bytes that begin `offset` bytes after `root` plus the sum of `terms`; None: any number of them.

    A term is an index and the bytes it counts; the index is sign-extended if the mark says so.
    """

    root: Value
    terms: frozenset[tuple[Value, bool, int]]
    offset: int
    size: int | None

    @property
    def start(self) -> tuple[Value, frozenset[tuple[Value, bool, int]], int]:
        """Where it begins: locations with the same start begin at the same address."""
        return self.root, self.terms, self.offset


def location(pointer: Value, size: int | None, known: dict[Value, Location] | None = None) -> Location:
    """The bytes from an address on.

    `known` caches the locations of addresses. With it, a chain of addresses that are each computed from the
    one before is followed once in all, and not once for each of them.
    """
    terms: dict[tuple[Value, bool], int] = {}
    offset = 0
    root = pointer
    while isinstance(root, Instruction | ConstantExpression):
        if known is not None and root in known:
            before = known[root]
            for value, extended, bytes_each in before.terms:
                terms[value, extended] = terms.get((value, extended), 0) + bytes_each
            offset += before.offset
            root = before.root
            break
        if root.opcode in _CASTS and root.operands[0].type.is_pointer:
            root = root.operands[0]
            continue
        if root.opcode != "getelementptr" or isinstance(root.type, VectorType) or len(terms) > _MOST_TERMS:
            break
        for index, bytes_each in offset_terms(root.attributes["element_type"], root.operands[1:]):
            if index is None:
                offset += bytes_each
                continue
            value, extended, factor, more = _index(index)
            terms[value, extended] = terms.get((value, extended), 0) + factor * bytes_each
            offset += more * bytes_each
        root = root.operands[0]
    found = frozenset((v, e, n % _ADDRESSES) for (v, e), n in terms.items() if n % _ADDRESSES)
    made = Location(root, found, offset % _ADDRESSES, size)
    if known is not None and len(found) <= _MOST_TERMS:
        known[pointer] = made
    return made


def _index(index: Value) -> tuple[Value, bool, int, int]:
    """An index as value * factor + constant, and whether the value is sign-extended to 64 bits."""
    factor, constant = 1, 0
    extended = index.type is not I64
    while isinstance(index, Instruction):
        operands, opcode = index.operands, index.opcode
        number = constant_of(operands[1]) if len(operands) == 2 else None
        if opcode == "add" and number is not None and (not extended or "nsw" in index.flags):
            constant += factor * number
            index = operands[0]
        elif not extended and opcode == "mul" and number is not None:
            factor *= number
            index = operands[0]
        elif not extended and opcode == "shl" and number is not None and 0 <= number < 64:
            factor <<= number
            index = operands[0]
        elif not extended and (opcode == "sext" or (opcode == "zext" and "nneg" in index.flags)):
            extended = True
            index = operands[0]
        else:
            break
    return index, extended, factor, constant


def objects(pointer: Value) -> frozenset[Value] | None:
    """The arguments, variables and allocas that a pointer may lead into; None if there may be others."""
    found: set[Value] = set()
    seen = {pointer}
    work = [pointer]
    while work:
        at = work.pop()
        sources: list[Value]
        if isinstance(at, Argument | GlobalVariable):
            found.add(at)
            continue
        if isinstance(at, ConstantExpression) and at.opcode in (*_CASTS, "getelementptr"):
            sources = list(at.operands[:1])
        elif not isinstance(at, Instruction):
            return None
        elif at.opcode == "alloca":
            found.add(at)
            continue
        elif at.opcode == "getelementptr" or at.opcode in _CASTS:
            sources = at.operands[:1]
        elif at.opcode == "phi":
            sources = at.operands[::2]
        elif at.opcode in _CHOICES:
            sources = at.operands[-2:] if at.opcode == "select" else at.operands
        else:
            return None
        for source in sources:
            if source not in seen:
                seen.add(source)
                work.append(source)
        if len(seen) > _MOST_POINTERS:
            return None
    return frozenset(found)


class Locations:
    """Alias queries; `disjoint` are the arguments of buffers that overlap no other buffer."""

    def __init__(self, disjoint: Mapping[Argument, bool]) -> None:
        self._disjoint = disjoint
        self._objects: dict[Value, frozenset[Value] | None] = {}
        self.relied = False

    def may_alias(self, one: Location, other: Location) -> bool:
        """Whether two locations may have a byte in common."""
        if one.root is other.root and one.terms == other.terms:
            if one.size is None or other.size is None:
                return True
            distance = (other.offset - one.offset) % _ADDRESSES
            return distance < one.size or _ADDRESSES - distance < other.size
        if address_space(other.root.type) not in MEETING[address_space(one.root.type)]:
            return False
        mine, others = self._objects_of(one.root), self._objects_of(other.root)
        if mine is None or others is None:
            return True
        relies = False
        for a in mine:
            for b in others:
                if self._are_apart(a, b):
                    continue
                if a is b or not (self._is_disjoint(a) or self._is_disjoint(b)):
                    return True
                relies = True
        self.relied |= relies
        return False

    def _objects_of(self, root: Value) -> frozenset[Value] | None:
        if root not in self._objects:
            self._objects[root] = objects(root)
        return self._objects[root]

    def _is_disjoint(self, a: Value) -> bool:
        return isinstance(a, Argument) and self._disjoint.get(a, False)

    @staticmethod
    def _are_apart(a: Value, b: Value) -> bool:
        """Whether two objects have no byte in common, whatever the arguments are."""
        if a is b:
            return False
        spaces = address_space(a.type), address_space(b.type)
        if spaces[1] not in MEETING[spaces[0]] or spaces == (LOCAL, LOCAL):
            return True
        if any(isinstance(x, Instruction) for x in (a, b)):
            return True  # an alloca
        return isinstance(a, GlobalVariable) and isinstance(b, GlobalVariable)
