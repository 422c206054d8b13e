"""Find webs of OpenCL C vectors that are computed from each other, and decide which webs to split.

Coordinates of images are one web of a kernel, colours another:

    at + (int2)(dx, dy)               components extracted for each read, never loaded or stored: split
    sum += read_imagef(…, at)         components are never mixed: kept whole
    0.3f * c.x + 0.6f * c.y           mixed more often than loaded: split

A vector that in memory is one integer of up to 32 bits is unpacked and packed by shifts, without shuffles.
Longer ones are kept whole unless they are mixed often. Nearly linear time.
"""

from collections import defaultdict

from weft.analysis.divergence import Divergence
from weft.ir import Function, Instruction, Value
from weft.ir.loops import loop_forest
from weft.ir.types import FloatType, IntType, Type, VectorType, size_of
from weft.ir.values import ConstantZero, Poison
from weft.target import Target

from .wide_vectors import components

MIXING = ("extractelement", "insertelement", "shufflevector")
# Maximal number of bits of an integer as which a vector is loaded and stored.
WORD = 32
# Cost of unpacking or packing a longer vector, in mixed components.
LONG = 3


class VectorWebs:
    """The webs of the vectors of a kernel; `mixed` and `moved` are the counts of the webs to be split.

    An operation in an inner loop counts `trips` times.
    """

    def __init__(self, function: Function, shape: Divergence, trips: int) -> None:
        self._shape = shape
        self._parents: dict[Value, Value] = {}
        forest = loop_forest(function)
        mixed: list[tuple[Value, int]] = []
        moved: list[tuple[Value, int]] = []
        for block in function.blocks:
            weight = trips ** forest.depth(block)
            for i in block.instructions:
                vectors = [v for v in (i, *i.operands) if is_varying_vector(v, shape)]
                for other in vectors[1:]:
                    self._join(vectors[0], other)
                if not vectors:
                    continue
                if is_moved(i, shape):
                    moved.append((vectors[0], weight * (1 if is_word(i.accessed_type) else LONG)))
                elif (i.opcode in MIXING and not _begins_splat(i)) or regroups(i):
                    mixed.append((vectors[0], weight))
        often, seldom = self._totals(mixed), self._totals(moved)
        self._split = {web for web, count in often.items() if count > seldom[web]}
        self.mixed = sum(often[web] for web in self._split)
        self.moved = sum(seldom[web] for web in self._split)

    def is_split(self, vector: Value) -> bool:
        """Return whether a varying vector is to be split."""
        return self._root(vector) in self._split

    def _totals(self, counts: list[tuple[Value, int]]) -> dict[Value, int]:
        totals: dict[Value, int] = defaultdict(int)
        for vector, count in counts:
            totals[self._root(vector)] += count
        return totals

    def _root(self, value: Value) -> Value:
        while (parent := self._parents.get(value, value)) is not value:
            self._parents[value] = self._parents.get(parent, parent)
            value = parent
        return value

    def _join(self, a: Value, b: Value) -> None:
        self._parents[self._root(a)] = self._root(b)


def is_varying_vector(value: Value, shape: Divergence) -> bool:
    """Return whether a value is a vector that differs between work-items."""
    return isinstance(value.type, VectorType) and not shape.is_uniform(value)


def is_moved(i: Instruction, shape: Divergence) -> bool:
    """Return whether an instruction loads or stores a vector for each lane.

    A vector at a uniform address is loaded once for all lanes: whole or split, it is broadcast.
    """
    if i.opcode not in ("load", "store") or not isinstance(i.accessed_type, VectorType):
        return False
    return i.opcode == "store" or not all(shape.is_uniform(o) for o in i.operands)


def is_word(type: Type) -> bool:
    """Return whether a vector has the memory layout of one integer, whose components shifts extract."""
    if not isinstance(type, VectorType) or not isinstance(type.element, IntType | FloatType):
        return False
    bits = type.count * type.element.bits
    return bits in (16, WORD) and bits == 8 * size_of(type)


def fills_register(type: Type, target: Target) -> bool:
    """Return whether a vector of one work-item fills one or more vector registers."""
    return isinstance(type, VectorType) and 8 * size_of(type) >= target.register_bits


def regroups(i: Instruction) -> bool:
    """Return whether an instruction reinterprets the same bits as fewer or more components."""
    return i.opcode == "bitcast" and components(i.type) != components(i.operands[0].type)


def is_splat(i: Instruction) -> bool:
    """Return whether an instruction broadcasts a scalar to all components, or prepares that."""
    if i.opcode == "shufflevector" and isinstance(i.operands[2], ConstantZero):
        source = i.operands[0]
        return isinstance(source, Instruction) and source.opcode == "insertelement"
    return _begins_splat(i)


def _begins_splat(i: Instruction) -> bool:
    """Return whether an instruction only prepares shuffles that broadcast a scalar."""
    if i.opcode != "insertelement" or not isinstance(i.operands[0], Poison):
        return False
    return all(u.opcode == "shufflevector" and isinstance(u.operands[2], ConstantZero) for u in i.users)
