"""Widen one instruction of a work-item to W work-items.

Uniform and linear values (`analysis/lanes.py`) stay scalars: the first lane's. Varying values become vectors;
vectors of OpenCL C become longer vectors (`wide_vectors.py`). The form of a memory access follows the shape
of its address (`wide_memory.py`). Instructions without a vector form run lane by lane (`lane_by_lane.py`).
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from weft.analysis.evaluation import KnownLanes
from weft.analysis.evolution import Evolution
from weft.analysis.lanes import EVERY, Lanes
from weft.ir import Block, ConstantFloat, ConstantInt, Instruction, Module, Value
from weft.ir.builder import Builder
from weft.ir.clone import clone_instruction
from weft.ir.opcodes import BINARY, CASTS
from weft.ir.types import (
    I1,
    I32,
    I64,
    VOID,
    IntType,
    PointerType,
    Type,
    VectorType,
)
from weft.ir.values import Constant, ConstantAggregate, ConstantZero, Poison, Undef, const_int

from . import wide_calls, wide_memory
from .access_forms import GATHERS_AND_SCATTERS, AccessForm, WideAccess
from .lane_by_lane import LaneLoop
from .lane_values import LaneValues, in_every_lane
from .lanewise import VectorForm
from .linear_numbers import LinearNumbers
from .wide_division import divide, divides_by_floats
from .wide_vectors import (
    component,
    components,
    insertions,
    interleaved,
    lane_shuffle,
    shuffle_mask,
    shuffled,
    spread,
    with_component,
)

_KEPT_METADATA = ("tbaa", "tbaa.struct", "nontemporal", "fpmath", "invariant.load")
# Identifies an access in reports of `weft explain`; later passes may change the access itself.
_ACCESS = "weft.access"
_DIVISIONS = ("udiv", "sdiv", "urem", "srem")


class Widener:
    """Emits the vector form of a loop's instructions at the insertion point of a builder."""

    def __init__(
        self,
        module: Module,
        lanes: Lanes,
        width: int,
        vector_form: VectorForm,
        known: KnownLanes | None = None,
        single: Collection[Instruction] = (),
        register: int = 16,
    ) -> None:
        """`known` has facts about single lanes. Of instructions in `single`, only single lanes are needed.

        `register` is the number of 32-bit elements of a vector register.
        """
        self.module, self.lanes, self.width, self.vector_form = module, lanes, width, vector_form
        self.known, self.single, self.register = known, single, register
        self._scalars: dict[Value, Value] = {}
        self._vectors: dict[Value, Value] = {}
        self.notes: dict[Instruction, list[WideAccess]] = {}  # forms of memory accesses
        self._without_flags: set[Instruction] = set()
        self.lane_values = LaneValues(self)
        self.linear = LinearNumbers(self)
        self._b: Builder

    # Where code is emitted

    @property
    def b(self) -> Builder:
        """The builder at the current insertion point."""
        return self._b

    def go_to(self, block: Block, before: Instruction | None = None) -> None:
        """Continue at the end of a block, or before an instruction of it."""
        self._b = Builder(block, before)

    # Values

    def define(self, value: Value, replacement: Value) -> None:
        """Map `value` to its replacement: all lanes if it varies, else the first lane."""
        (self._vectors if self.lanes.is_varying(value) else self._scalars)[value] = replacement

    def define_vector(self, value: Value, replacement: Value) -> None:
        """Map `value` to a replacement that holds all lanes."""
        self._vectors[value] = replacement

    def define_scalar(self, value: Value, replacement: Value) -> None:
        """Map `value` to a replacement that holds the first lane."""
        self._scalars[value] = replacement

    def has_scalar(self, value: Value) -> bool:
        """Return whether the first lane of `value` was computed."""
        return value in self._scalars

    def replace(self, value: Value, by: Callable[[Value], Value]) -> None:
        """Replace the vector and the scalar of `value`, as far as they exist, by `by` of them."""
        for forms in (self._vectors, self._scalars):
            if value in forms:
                forms[value] = by(forms[value])

    @contextmanager
    def assuming(self, lanes: Lanes, firsts: dict[Value, Value], inside: Collection[Block]) -> Iterator[None]:
        """Emit blocks with other shapes; discard afterwards what was defined meanwhile.

        `firsts` has the first lanes of values that are linear only by these shapes.
        """
        general, scalars, vectors = self.lanes, self._scalars, self._vectors
        self.lanes = lanes
        # The definitions inside these blocks belong to code that was emitted elsewhere.
        self._scalars, self._vectors = (
            {
                v: replacement
                for v, replacement in known.items()
                if not isinstance(v, Instruction) or v.block not in inside
            }
            for known in (scalars, vectors)
        )
        self._scalars.update(firsts)
        yield
        self.lanes, self._scalars, self._vectors = general, scalars, vectors

    @contextmanager
    def without_notes(self) -> Iterator[None]:
        """Emit another version of code whose accesses are noted already."""
        kept = {i: list(forms) for i, forms in self.notes.items()}
        yield
        self.notes.clear()
        self.notes.update(kept)

    def scalar(self, value: Value) -> Value:
        """Return the first lane of a value that is not varying."""
        return self._scalars.get(value, value)

    def vector(self, value: Value) -> Value:
        """Return all lanes of a value."""
        shape = self.lanes.of(value)
        if shape is None:
            return self._vectors[value]
        computed = self.linear.vector(value)
        return computed if computed is not None else self.from_first(self.scalar(value), shape.stride)

    def form(self, value: Value, varying: bool) -> Value:
        """Return `value` as a vector or as the first lane's scalar."""
        return self.vector(value) if varying else self.scalar(value)

    def splat(self, value: Value) -> Value:
        """Broadcast a scalar to all lanes."""
        type = self.wide(value.type)
        if isinstance(value, ConstantInt | ConstantFloat):
            return ConstantAggregate(type, [value] * self.width)
        if isinstance(value, Undef | Poison | ConstantZero):
            return value.__class__(type)
        if isinstance(value, ConstantAggregate):
            return ConstantAggregate(type, value.elements * self.width)
        if isinstance(value.type, VectorType):
            return shuffled(self.b, value, None, list(range(value.type.count)) * self.width)
        one = self.b.emit("insertelement", type, [Poison(type), value, const_int(I32, 0)])
        mask = ConstantZero(VectorType(I32, self.width))
        return self.b.emit("shufflevector", type, [one, Poison(type), mask])

    def from_first(self, first: Value, stride: int) -> Value:
        """Return all lanes of a linear value: first + lane * stride."""
        if stride == 0:
            return self.splat(first)
        type = self.wide(first.type)
        if isinstance(first.type, PointerType):
            offsets = self.progression(IntType(64), stride)
            return self.b.emit("getelementptr", type, [first, offsets], element_type=IntType(8))
        assert isinstance(first.type, IntType)
        return self.b.emit("add", type, [self.splat(first), self.progression(first.type, stride)])

    def progression(self, type: IntType, stride: int) -> Value:
        """Return the constant vector 0, stride, 2 * stride, …"""
        return ConstantAggregate(
            VectorType(type, self.width), [const_int(type, stride * k) for k in range(self.width)]
        )

    def wide(self, type: Type) -> VectorType:
        """Return the type of a varying value."""
        return VectorType(type.scalar, self.width * components(type))

    # Masks; None means all lanes

    def all_lanes(self) -> Value:
        return ConstantAggregate(self.wide(I1), [const_int(I1, 1)] * self.width)

    def no_lanes(self) -> Value:
        return ConstantZero(self.wide(I1))

    def both(self, mask: Value | None, condition: Value) -> Value:
        """Return the lanes of `mask` in which `condition` holds; it may be poison in other lanes."""
        if mask is None:
            return condition
        return self.b.select(mask, condition, self.no_lanes())

    def choose(self, mask: Value, yes: Value, no: Value) -> Value:
        """Return `yes` in lanes where the mask is set and `no` in the others."""
        count = components(yes.type) // self.width
        return self.b.select(spread(self.b, mask, count), yes, no)

    def inverse(self, mask: Value) -> Value:
        return self.b.binary("xor", mask, self.all_lanes())

    def either(self, a: Value | None, b: Value | None) -> Value | None:
        return None if a is None or b is None else self.b.binary("or", a, b)

    def any_lane(self, mask: Value) -> Value:
        """Return a scalar: whether any lane is active."""
        bits = IntType(self.width)
        return self.b.icmp("ne", self.b.emit("bitcast", bits, [mask]), const_int(bits, 0))

    def every_lane(self, mask: Value) -> Value:
        """Return a scalar: whether all lanes are active."""
        bits = IntType(self.width)
        return self.b.icmp("eq", self.b.emit("bitcast", bits, [mask]), const_int(bits, -1))

    def first_active(self, mask: Value) -> Value:
        """Return the number of the first active lane, or of the last lane if none is active."""
        number: Value = self.b.emit("bitcast", IntType(self.width), [mask])
        if self.width < 32:
            number = self.b.cast("zext", number, I32)
            number = self.b.binary("or", number, const_int(I32, 1 << (self.width - 1)))
        type = number.type
        index: Value = self.b.call_symbol(f"llvm.cttz.{type}", type, [number, const_int(I1, 0)])
        return index if type is I32 else self.b.cast("trunc", index, I32)

    def last_active(self, mask: Value) -> Value:
        """Return the number of the last active lane; at least one must be active."""
        number: Value = self.b.emit("bitcast", IntType(self.width), [mask])
        type = number.type
        zeros: Value = self.b.call_symbol(f"llvm.ctlz.{type}", type, [number, const_int(I1, 1)])
        zeros = zeros if type is I32 else self.b.cast("zext" if self.width < 32 else "trunc", zeros, I32)
        return self.b.sub(const_int(I32, self.width - 1), zeros)

    # Instructions

    def emit(self, i: Instruction, mask: Value | None, reached: bool = False) -> None:
        """Emit the vector form of an instruction that is neither a phi nor a terminator.

        `reached`: unmasked code has accessed what a store stores to.
        """
        if i in self.single:
            return
        if i.block in self.lanes.masked:
            for operand in i.operands:
                self.drop_poison_flags(operand)
        assumed = self.lanes.assumed.get(i)
        if isinstance(assumed, Evolution):
            self.define_scalar(i, self.lane_values.first_address(i, assumed, mask))
            return
        match i.opcode:
            case "load" | "store" | "atomicrmw" | "cmpxchg" if i.is_ordered or i.opcode[0] in "ac":
                self.lane_by_lane(i, mask)
            case "load":
                wide_memory.load(self, i, mask)
            case "store":
                wide_memory.store(self, i, mask, reached)
            case "call":
                wide_calls.call(self, i, mask)
            case "icmp" if EVERY in i.metadata:
                self.define_scalar(i, in_every_lane(self, i))
            case "fence":
                self.clone_scalar(i)
            case "sext" | "zext" if self.linear.extends(i):
                self.define_scalar(i, self.b.cast("trunc", self.linear.exact(i.operands[0]), i.type, i.name))
            case _ if not self.lanes.is_varying(i):
                if i.opcode == "freeze":  # the first lane may be any number, but then the others are not
                    self.drop_poison_flags(i.operands[0])
                self.define_scalar(i, self.clone_scalar(i))
            case "extractelement" | "insertelement" | "shufflevector":
                self._rearrange(i, mask)
            case "icmp" if self._compares_in_step(i):
                self._vectors[i] = self.splat(self.clone_scalar(i))
            case "icmp" if self._compares_linear_addresses(i):
                left, right = map(self._address_numbers, i.operands)
                self._vectors[i] = self.b.icmp(i.attributes["predicate"], left, right, i.name)
            case _:
                self._vectors[i] = self.widened(i, mask)

    def _compares_linear_addresses(self, i: Instruction) -> bool:
        """Return whether a pointer that is compared is computed from that of the first lane."""
        pointers = [o for o in i.operands if o.type.is_pointer and isinstance(o, Instruction)]
        return any(not self.lanes.is_varying(pointer) for pointer in pointers)

    def _address_numbers(self, pointer: Value) -> Value:
        """Return the addresses of all lanes as integers, for a comparison.

        LLVM's `instcombine` makes invalid code of some comparisons of pointers that are computed from a
        scalar address and different numbers for the lanes: it replaces the scalar address by a vector.
        """
        shape = self.lanes.of(pointer)
        if shape is None or self.linear.vector(pointer) is not None:
            return self.b.emit("ptrtoint", self.wide(I64), [self.vector(pointer)])
        return self.from_first(self.b.cast("ptrtoint", self.scalar(pointer), I64), shape.stride)

    def _compares_in_step(self, i: Instruction) -> bool:
        """Return whether the compared pointers differ equally in all lanes: one comparison serves all.

        LLVM crashes in `indvars` on some loops over pointers taken from such vectors.
        """
        if i.attributes["predicate"] not in ("eq", "ne") or not i.operands[0].type.is_pointer:
            return False
        left, right = (self.lanes.of(o) for o in i.operands)
        if left is None or right is None or left.needs or right.needs:
            return False
        return left.stride == right.stride

    def note(
        self,
        i: Instruction,
        form: AccessForm,
        stride: int = 1,
        pieces: int = 1,
        lanes: int = 1,
        elements: int = 1,
    ) -> None:
        """Record the form of an access; a second note is the form for lanes that are not linear."""
        proved = i.operands[-1] in self.lanes.assumed and form not in GATHERS_AND_SCATTERS
        self.notes.setdefault(i, []).append(WideAccess(form, stride, pieces, lanes, elements, proved))

    def lane_by_lane(self, i: Instruction, mask: Value | None) -> None:
        """Run an instruction once for each active lane."""
        self.note(i, AccessForm.LANE_BY_LANE)
        wide: dict[Value, Value] = {}
        scalar: dict[Value, Value] = {}
        for operand in i.operands:
            if self.lanes.is_uniform(operand):
                scalar[operand] = self.scalar(operand)
            else:
                wide[operand] = self.vector(operand)
        loop = LaneLoop(self.b, self.width)
        result = loop.run(i, wide, scalar, mask)
        self._b = loop.b
        if result is not None:
            self._vectors[i] = result

    def clone_scalar(self, i: Instruction) -> Instruction:
        new = clone_instruction(i, {o: self.scalar(o) for o in i.operands if not isinstance(o, Block)})
        # A uniform result may be the difference of operands that are not uniform.
        from_first = not all(map(self.lanes.is_uniform, (i, *i.operands)))
        if i in self._without_flags or (i.block in self.lanes.masked and from_first):
            _drop_flags(new)
        return self.insert(new)

    def drop_poison_flags(self, value: Value) -> None:
        """Drop poison-generating flags from what the first lane of `value` is computed from.

        Other lanes are derived from the first one, which may be inactive: if a flag does not hold for it, its
        value is poison.
        """
        work = [value]
        while work:
            current = work.pop()
            if (
                not isinstance(current, Instruction)
                or current in self._without_flags
                or not self.linear.is_linear(current)
            ):
                continue
            self._without_flags.add(current)
            scalar = self._scalars.get(current)
            if isinstance(scalar, Instruction):
                _drop_flags(scalar)
            work += current.operands

    def does_not_wrap(self, needs: frozenset[Instruction]) -> Value | None:
        """Return whether the operands of the conversions in `needs` do not wrap across the lanes."""
        b = self.b
        result: Value | None = None
        for i in needs:
            source = i.operands[0]
            shape = self.lanes.of(source)
            assert shape is not None and isinstance(source.type, IntType)
            first, bits = self.scalar(source), source.type.bits
            span = (self.width - 1) * shape.stride
            signed = i.opcode in ("sext", "ashr") or "nneg" in i.flags
            if i.opcode == "and":  # refers to the low word
                first, bits = b.binary("and", first, i.operands[1]), 32
            least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
            bound = const_int(source.type, most - span if span > 0 else least - span)
            predicate = ("s" if signed else "u") + ("le" if span > 0 else "ge")
            test = b.icmp(predicate, first, bound)
            result = test if result is None else b.binary("and", result, test)
        return result

    def load_like(
        self, i: Instruction, type: Type, address: Value, align: int, name: str | None = None
    ) -> Instruction:
        """Load from the memory that `i` accesses, with its metadata."""
        return self.insert(Instruction("load", type, [address], name, (), {"align": align}, dict(i.metadata)))

    def store_like(self, i: Instruction, value: Value, address: Value, align: int) -> Instruction:
        """Store to the memory that `i` accesses, with its metadata."""
        return self.insert(
            Instruction("store", VOID, [value, address], None, (), {"align": align}, dict(i.metadata))
        )

    def insert(self, new: Instruction) -> Instruction:
        new.metadata = {k: v for k, v in new.metadata.items() if k in _KEPT_METADATA}
        return self.b.insert(new)

    def widened(self, i: Instruction, mask: Value | None) -> Value:
        """Return the vector form of `i`, whatever the shape of its result."""
        type = self.wide(i.type)
        if divides_by_floats(i):
            return divide(self, i)
        if i.opcode in BINARY or i.opcode in CASTS or i.opcode in ("icmp", "fcmp", "fneg", "freeze"):
            operands = [self.vector(o) for o in i.operands]
            if i.opcode in _DIVISIONS and mask is not None and not _cannot_trap(i):
                # Inactive lanes must not trap.
                one = ConstantAggregate(type, [const_int(type.element, 1)] * type.count)
                operands[1] = self.b.select(spread(self.b, mask, components(i.type)), operands[1], one)
        elif i.opcode == "select":
            operands = [self._condition(i), *(self.vector(o) for o in i.operands[1:])]
        else:
            assert i.opcode == "getelementptr", f"{i.opcode} was not refused"
            operands = [self.scalar(o) if self.lanes.is_uniform(o) else self.vector(o) for o in i.operands]
        new = Instruction(i.opcode, type, operands, i.name, i.flags, dict(i.attributes), dict(i.metadata))
        return self.insert(new)

    def _condition(self, i: Instruction) -> Value:
        """Return the condition of a select: a scalar, or one bit per element."""
        condition = i.operands[0]
        if isinstance(condition.type, VectorType):
            return self.vector(condition)
        if self.lanes.is_uniform(condition):
            return self.scalar(condition)
        return spread(self.b, self.vector(condition), components(i.type))

    def _rearrange(self, i: Instruction, mask: Value | None) -> None:
        """Emit an extractelement, insertelement or shufflevector of OpenCL C vectors for all lanes."""
        if i.opcode == "shufflevector":
            left, right = i.operands[:2]
            counts = (components(left.type), components(right.type))
            wide = (self.vector(left), self.vector(right))
            self._vectors[i] = lane_shuffle(self.b, wide, self.width, counts, shuffle_mask(i))
            return
        index = i.operands[-1]
        if not isinstance(index, ConstantInt):
            self.lane_by_lane(i, mask)
            return
        vector = i.operands[0]
        count = components(vector.type)
        if i.opcode == "extractelement":
            self._vectors[i] = component(self.b, self.vector(vector), count, index.value)
        elif not _is_continued(i):
            self._vectors[i] = self._assembled(i, count)

    def _assembled(self, i: Instruction, count: int) -> Value:
        """Return the vectors that a chain of insertions builds."""
        inserted, base = insertions(i, lambda link: link is i or _is_continued(link))
        if len(inserted) == 1 and not isinstance(base, Constant):
            ((index, scalar),) = inserted.items()
            return with_component(self.b, self.vector(base), count, index, self.vector(scalar))
        scalars = []
        for index in range(count):
            if index in inserted:
                scalars.append(self.vector(inserted[index]))
            elif isinstance(base, ConstantAggregate):
                scalars.append(self.splat(base.elements[index]))
            elif isinstance(base, Constant):
                scalars.append(self.splat(base.__class__(base.type.scalar)))
            else:
                scalars.append(component(self.b, self.vector(base), count, index))
        return interleaved(self.b, scalars)

    def needs_guard(self, i: Instruction) -> bool:
        """Return whether an instruction must not, or should not, run when no lane is active."""
        if i.opcode in ("load", "store"):
            type = i.accessed_type
            return not wide_memory.is_consecutive(self, i.operands[-1], type)
        if i.opcode == "call":
            intrinsic = i.callee_name.startswith("llvm.")
            return not intrinsic or (i.type is VOID and not wide_calls.is_dropped(i))  # such as memory copies
        return i.opcode in _DIVISIONS and not self.lanes.is_varying(i)

    def intrinsic(
        self,
        name: str,
        result: Type,
        operands: list[Value],
        words: tuple[str, ...],
        original: Instruction,
        attributed: int = 0,
    ) -> Instruction:
        call = self.b.call_symbol(name, result, operands, original.name if result is not VOID else None)
        call.attributes["argument_attributes"] = tuple(
            words if index == attributed else () for index in range(len(operands))
        )
        kept = (*_KEPT_METADATA, _ACCESS)
        call.metadata = {k: v for k, v in original.metadata.items() if k in kept}
        return call


def _cannot_trap(division: Instruction) -> bool:
    """Return whether the divisor is a constant other than 0 and -1."""
    by = division.operands[1]
    if isinstance(by, ConstantAggregate) and by.splat is not None:
        by = by.splat
    return isinstance(by, ConstantInt) and by.signed not in (0, -1)


def _is_continued(i: Instruction) -> bool:
    """Return whether the next insertion in the same block continues an insertion."""
    if not isinstance(i.operands[2], ConstantInt) or len(i.users) != 1:
        return False
    (user,) = i.users
    return (
        user.opcode == "insertelement"
        and user.operands[0] is i
        and user.block is i.block
        and isinstance(user.operands[2], ConstantInt)
    )


def _drop_flags(i: Instruction) -> None:
    """Drop the flags of an instruction, so that its result is never poison because of them."""
    if i.opcode == "zext" and "nneg" in i.flags:
        i.opcode = "sext"
    i.drop_poison_flags()
