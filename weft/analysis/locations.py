"""The bytes that accesses of a kernel touch, and whether two accesses may touch a common byte.

An address is a root and an affine byte distance from it:

    a[i * n + j + 1].y       root %a, distance 8 * %sum + 12

Addresses with the same root whose distances differ by a constant are compared byte by byte. Others are
distinguished by the objects they point into: arguments, variables and allocas. Two buffers are different
objects if one of them is known to overlap no other, by `restrict` or because the launch form says so;
`Locations.requires_noalias` records whether that was needed.

Only accesses of one work-item are compared. Accesses of other work-items between two synchronization points
do not matter: if both touch the same byte and one writes, there is a data race.
"""

from collections.abc import Mapping

from weft.dataclasses import dataclass
from weft.ir import Argument, GlobalVariable, Instruction, Value
from weft.ir.address_spaces import LOCAL, OVERLAPPING_SPACES
from weft.ir.addresses import offset_terms
from weft.ir.types import I64, VectorType, address_space
from weft.ir.values import ConstantExpression, constant_of

from .affine import NOTHING, Affine

# Addresses have 64 bits and wrap around.
ADDRESSES = 1 << 64
# Operations that keep the object that a pointer points into, and operations that choose between pointers.
_CASTS = frozenset(("addrspacecast", "bitcast"))
_CHOICES = frozenset(("phi", "select", "freeze"))
# The most pointers to visit when searching for objects.
_MOST_POINTERS = 64
# An address with more terms is its own root.
_MOST_TERMS = 64


@dataclass(frozen=True)
class Location:
    """`size` bytes (None: unknown) that begin `distance` bytes after `root`, modulo 2^64."""

    root: Value
    distance: Affine
    size: int | None

    @property
    def start(self) -> tuple[Value, frozenset[tuple[Value, int]], int]:
        """A key that is equal for locations that begin at the same address."""
        return self.root, frozenset(self.distance.terms), self.distance.constant


def location(pointer: Value, size: int | None, known: dict[Value, Location] | None = None) -> Location:
    """Return the bytes that begin at an address.

    `known` caches locations of addresses, so that a chain of addresses, each computed from the one before, is
    followed only once.
    """
    distance = NOTHING
    root = pointer
    while isinstance(root, Instruction | ConstantExpression):
        if known is not None and root in known:
            distance = distance.plus(known[root].distance)
            root = known[root].root
            break
        if root.opcode in _CASTS and root.operands[0].type.is_pointer:
            root = root.operands[0]
            continue
        many = len(distance.terms) > _MOST_TERMS
        if root.opcode != "getelementptr" or isinstance(root.type, VectorType) or many:
            break
        for index, bytes_each in offset_terms(root.attributes["element_type"], root.operands[1:]):
            if index is None:
                distance = distance.plus(Affine((), bytes_each))
            else:
                distance = distance.plus(index_of(index), bytes_each)
        root = root.operands[0]
    result = Location(root, distance.modulo(ADDRESSES), size)
    if known is not None and len(result.distance.terms) <= _MOST_TERMS:
        known[pointer] = result
    return result


def index_of(index: Value) -> Affine:
    """Return an index as a multiple of a value plus a constant; narrow indices are sign-extended."""
    factor, constant = 1, 0
    while isinstance(index, Instruction):
        operands, opcode = index.operands, index.opcode
        number = constant_of(operands[1]) if len(operands) == 2 else None
        is_whole = index.type is I64
        if opcode == "add" and number is not None and (is_whole or "nsw" in index.flags):
            constant += factor * number
        elif is_whole and opcode == "mul" and number is not None:
            factor *= number
        elif is_whole and opcode == "shl" and number is not None and 0 <= number < 64:
            factor <<= number
        elif not (is_whole and (opcode == "sext" or (opcode == "zext" and "nneg" in index.flags))):
            break
        index = operands[0]
    return Affine(((index, factor),), constant)


def objects(pointer: Value) -> frozenset[Value] | None:
    """Return the arguments, variables and allocas that a pointer may point into; None if unknown."""
    targets: set[Value] = set()
    seen = {pointer}
    work = [pointer]
    while work:
        at = work.pop()
        sources: list[Value]
        if isinstance(at, Argument | GlobalVariable):
            targets.add(at)
            continue
        if isinstance(at, ConstantExpression) and at.opcode in (*_CASTS, "getelementptr"):
            sources = list(at.operands[:1])
        elif not isinstance(at, Instruction):
            return None
        elif at.opcode == "alloca":
            targets.add(at)
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
    return frozenset(targets)


class Locations:
    """Alias queries; `disjoint` tells which arguments are buffers that overlap no other buffer."""

    def __init__(self, disjoint: Mapping[Argument, bool]) -> None:
        self._disjoint = disjoint
        self._objects: dict[Value, frozenset[Value] | None] = {}
        self.requires_noalias = False

    def may_alias(self, one: Location, other: Location) -> bool:
        """Whether two locations may have a byte in common."""
        if one.root is other.root:
            apart = other.distance.plus(one.distance, -1).modulo(ADDRESSES)
            if not apart.terms:
                if one.size is None or other.size is None:
                    return True
                return apart.constant < one.size or ADDRESSES - apart.constant < other.size
        if address_space(other.root.type) not in OVERLAPPING_SPACES[address_space(one.root.type)]:
            return False
        objects_of_one, objects_of_other = self._objects_of(one.root), self._objects_of(other.root)
        if objects_of_one is None or objects_of_other is None:
            return True
        requires_noalias = False
        for a in objects_of_one:
            for b in objects_of_other:
                if self._are_disjoint(a, b):
                    continue
                if a is b or not (self._is_disjoint(a) or self._is_disjoint(b)):
                    return True
                requires_noalias = True
        self.requires_noalias |= requires_noalias
        return False

    def _objects_of(self, root: Value) -> frozenset[Value] | None:
        if root not in self._objects:
            self._objects[root] = objects(root)
        return self._objects[root]

    def _is_disjoint(self, a: Value) -> bool:
        return isinstance(a, Argument) and self._disjoint.get(a, False)

    @staticmethod
    def _are_disjoint(a: Value, b: Value) -> bool:
        """Whether two objects have no byte in common, for all values of the arguments."""
        if a is b:
            return False
        spaces = address_space(a.type), address_space(b.type)
        if spaces[1] not in OVERLAPPING_SPACES[spaces[0]] or spaces == (LOCAL, LOCAL):
            return True
        if any(isinstance(x, Instruction) for x in (a, b)):
            return True  # an alloca
        return isinstance(a, GlobalVariable) and isinstance(b, GlobalVariable)
