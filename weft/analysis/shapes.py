"""The shapes of all values of a kernel: uniform, consecutive, strided or varying across work-items.

This is the variable uniformity analysis of pocl, section 4.6, extended: it determines not only whether a
value is the same for all work-items, but also how it differs (`shape.py`), for each dimension of the local
id. It starts from the work-item functions and follows

- data: each instruction's transfer function (`shape_transfer.py`);
- control: phis where the paths of a divergent branch join, and values that leave a loop at different times
  (`control_divergence.py`), along the dimensions in which the branch diverges;
- memory: loads from memory that no work-item can write are as uniform as their addresses
  (`memory_effects.py`); private memory is uniform if only uniform values are stored to it, at uniform
  offsets, in blocks that all work-items run at the same times.

The iteration is optimistic: a phi joins only the values seen so far. Shapes then grow until nothing changes;
intervals of phis that keep growing are widened.

    %k = phi i32 [ 0, %entry ], [ %k.next, %body ]    ; uni [0, 2147483647]
    %at = add nsw i32 %row, %i                        ; cont y:varying
    %p = getelementptr float, ptr %a, i64 %wide       ; stride(4) y:varying

Requires nothing; LCSSA form makes it more precise. Complexity: a value changes a bounded number of times, and
its users are revisited each time; a branch is followed once for each set of dimensions.
"""

from collections.abc import Iterable, Mapping

from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, Value
from weft.ir.dominators import reverse_post_order
from weft.ir.types import VOID
from weft.ir.values import Poison

from .control_divergence import ControlDivergence
from .group_functions import UNIFORM
from .memory_effects import UnchangingMemory
from .private_memory import PrivateMemory, is_copy, is_fill
from .shape import ALL, Geometry, Shape, bits_of, constant, fitted, normalized, varying
from .shape_arithmetic import added, opaque
from .shape_transfer import Transfer, is_outside
from .worklist import Worklist

# After this many changes, a phi's interval is widened to the end of its type; after SETTLE_AFTER changes, the
# shape of any other value is joined with its old shape, so that the iteration terminates.
WIDEN_AFTER = 4
SETTLE_AFTER = 12


@dataclass(frozen=True)
class Shapes:
    """The result. Sets of dimensions are masks of X, Y and Z."""

    geometry: Geometry
    _values: Mapping[Value, Shape]
    _offsets: Mapping[Value, tuple[Instruction, Shape]]
    _blocks: Mapping[Block, int]
    _transfer: Transfer

    def of(self, value: Value) -> Shape:
        """Return the shape of a value among the work-items that compute it at the same time."""
        shape = self._values.get(value)
        if shape is not None:
            return shape
        return self._transfer.outside(value) if is_outside(value) else varying(bits_of(value.type))

    def is_uniform(self, value: Value, dimensions: int = ALL) -> bool:
        """Whether a value is the same for all work-items that differ only in the given dimensions."""
        return not self.of(value).varying & dimensions

    def branch(self, block: Block) -> int:
        """Return the dimensions along which work-items may leave a block in different directions."""
        return self.of(block.terminator.operands[0]).varying if len(block.successors()) > 1 else 0

    def is_divergent_branch(self, block: Block, dimensions: int = ALL) -> bool:
        """Whether work-items that differ only in the given dimensions may leave a block differently."""
        return bool(self.branch(block) & dimensions)

    def divergent_runs(self, block: Block) -> int:
        """Return the dimensions along which not all work-items run a block at the same times."""
        return self._blocks.get(block, 0)

    def runs_uniformly(self, block: Block, dimensions: int = ALL) -> bool:
        """Whether all work-items that differ only in the given dimensions run a block at the same times."""
        return not self.divergent_runs(block) & dimensions

    def private_offset(self, pointer: Value) -> tuple[Instruction, Shape] | None:
        """Return the alloca that a private pointer points into, and the shape of its byte offset."""
        return self._offsets.get(pointer)


def shapes(
    function: Function,
    local_size: tuple[int, int, int] | None = None,
    wide: bool = False,
    flags: bool = True,
    several_sub_groups: bool = False,
) -> Shapes:
    """Analyse a kernel, for a local size if it is known.

    `wide`: global ids are wide. `several_sub_groups`: sub-group ids vary. With `flags`, results hold for
    work-items that run an instruction and whose operands are not poison; without, also for work-items for
    which it is computed speculatively.
    """
    return _Solver(function, Geometry(local_size, wide, several_sub_groups), flags).solve()


class _Solver:
    """The fixpoint iteration."""

    def __init__(self, function: Function, geometry: Geometry, flags: bool) -> None:
        self.geometry = geometry
        self.transfer = Transfer(geometry, flags)
        self.control = ControlDivergence(function)
        self.private = PrivateMemory(function)
        self.unchanging = UnchangingMemory(function)
        self.work = Worklist(reverse_post_order(function))
        # For pointers into a single alloca, the shapes of their offsets.
        self.shapes: dict[Value, Shape] = {}
        self.forced: dict[Instruction, int] = {}  # dimensions that control makes varying
        self.blocks: dict[Block, int] = {}
        self.branches: dict[Block, int] = {}
        self.contents = {a: ALL if a in self.private.hidden else 0 for a in self.private.readers}
        self.changes: dict[Instruction, int] = {}

    def solve(self) -> Shapes:
        for instruction in self.work:
            if instruction.is_terminator:
                self._branch(instruction)
            elif instruction.opcode == "store" or is_copy(instruction) or is_fill(instruction):
                self._store(instruction)
            elif instruction.type is not VOID:
                self._value(instruction)
        inside = {p: (a, self.shapes[p]) for p, a in self.private.inside.items() if p in self.shapes}
        values = self.shapes | {p: self._address(p) for p in inside}
        return Shapes(self.geometry, values, inside, self.blocks, self.transfer)

    def _address(self, pointer: Value) -> Shape:
        """Return the shape of a pointer into an alloca, of which each work-item has its own."""
        start = self.transfer.shape(self.private.inside[pointer], ())
        return normalized(added(start, self.shapes[pointer]), self.geometry)

    def _operand(self, user: Instruction, value: Value) -> Shape | None:
        """Return the shape of an operand; None if it has not been computed yet."""
        shape = self.shapes.get(value)
        if shape is None:
            if is_outside(value):
                shape = self.shapes[value] = self.transfer.outside(value)
        elif value in self.private.inside and user not in self.private.inside:
            return self._address(value)
        return shape

    def _operands(self, user: Instruction, values: Iterable[Value]) -> list[Shape] | None:
        """Return the shapes of operands; None if some have not been computed yet."""
        known = []
        for value in values:
            shape = self._operand(user, value)
            if shape is None:
                return None
            known.append(shape)
        return known

    # Values

    def _value(self, instruction: Instruction) -> None:
        new = self._phi(instruction) if instruction.opcode == "phi" else self._computed(instruction)
        if new is None:
            return
        new = normalized(new.without(self.forced.get(instruction, 0)), self.geometry)
        old = self.shapes.get(instruction)
        if old is not None and new != old:
            changes = self.changes[instruction] = self.changes.get(instruction, 0) + 1
            if changes > (WIDEN_AFTER if instruction.opcode == "phi" else SETTLE_AFTER):
                new = normalized(_widened(old, old.join(new)), self.geometry)
        if new != old:
            self.shapes[instruction] = new
            self.work.add(instruction.users)

    def _phi(self, phi: Instruction) -> Shape | None:
        joined: Shape | None = None
        for value, _ in phi.incoming():
            shape = None if isinstance(value, Poison) else self._operand(phi, value)
            if shape is not None:
                joined = shape if joined is None else joined.join(shape)
        if joined is None and all(isinstance(value, Poison) for value, _ in phi.incoming()):
            return self.transfer.outside(phi.operands[0])
        return joined

    def _computed(self, instruction: Instruction) -> Shape | None:
        operands = self._operands(instruction, instruction.operands)
        if operands is None:
            return None
        if instruction.opcode == "load":
            return self._load(instruction, operands[0])
        if instruction.opcode == "alloca":
            return constant(64, 0)
        if instruction.opcode == "call" and self.unchanging.is_read_by(instruction):
            return opaque(bits_of(instruction.type), *operands[: len(instruction.arguments)])
        return self.transfer.shape(instruction, operands)

    # Memory

    def _load(self, load: Instruction, address: Shape) -> Shape:
        bits = bits_of(load.type)
        if UNIFORM in load.metadata:
            return varying(bits, 0)
        if self.unchanging.reads(load):
            return varying(bits, address.varying)
        return varying(bits, self._stored_at(load.operands[0]))

    def _stored_at(self, pointer: Value) -> int:
        """Return the dimensions along which work-items load different values from their private memory."""
        allocas = self.private.allocas_of(pointer)
        if len(allocas) != 1:
            return ALL
        return self._place(pointer) | self.contents[allocas[0]]

    def _place(self, pointer: Value) -> int:
        """Return the dimensions along which work-items access different offsets of a private variable."""
        offset = self.shapes.get(pointer) if pointer in self.private.inside else None
        return offset.varying if offset is not None else ALL

    def _store(self, instruction: Instruction) -> None:
        assert instruction.block is not None
        store = instruction.opcode == "store"
        pointer = instruction.operands[1 if store else 0]
        allocas = self.private.allocas_of(pointer)
        if not allocas:
            return
        operands = instruction.operands if store else instruction.arguments
        shapes = self._operands(instruction, operands)
        if shapes is None:
            return
        differing = self.blocks.get(instruction.block, 0) | self._place(pointer)
        for value, shape in zip(operands, shapes, strict=True):
            if value is pointer:
                continue
            if is_copy(instruction) and value is operands[1]:
                differing |= shape.varying if self.unchanging.holds(value) else self._stored_at(value)
            else:
                differing |= shape.varying
        for alloca in allocas:
            if differing & ~self.contents[alloca]:
                self.contents[alloca] |= differing
                self.work.add(self.private.readers[alloca])

    # Control

    def _branch(self, terminator: Instruction) -> None:
        block = terminator.block
        assert block is not None
        if len(block.successors()) < 2:
            return
        condition = self._operand(terminator, terminator.operands[0])
        before = self.branches.get(block, 0)
        dimensions = before | (condition.varying if condition is not None else 0)
        if dimensions == before:
            return
        self.branches[block] = dimensions
        effect = self.control.effect(block, dimensions)
        for instruction in effect.values:
            if dimensions & ~self.forced.get(instruction, 0):
                self.forced[instruction] = self.forced.get(instruction, 0) | dimensions
                self.work.add((instruction,))
        for divergent in effect.blocks:
            if dimensions & ~self.blocks.get(divergent, 0):
                self.blocks[divergent] = self.blocks.get(divergent, 0) | dimensions
                self.work.add(i for i in divergent.instructions if i.opcode in ("store", "call"))


def _widened(old: Shape, new: Shape) -> Shape:
    """Return the new shape, with each bound of its interval that has moved set to its extreme."""
    if not new.bits:
        return new
    half = 1 << new.bits >> 1
    (a, b), (c, d) = old.signed_range, new.signed_range
    low, high = (c if a <= c else -half), (d if d <= b else half - 1)
    if (low, high) == (-half, half - 1):
        (a, b), (c, d) = old.unsigned_range, new.unsigned_range
        low, high = (c if a <= c else 0), (d if d <= b else 2 * half - 1)
    low, high = fitted(new.bits, low, high)
    return new._replace(low=low, high=high)
