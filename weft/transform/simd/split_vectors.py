"""Split OpenCL C vectors that differ between work-items into components, where that is profitable.

Each component is a scalar; SIMD lanes hold it for several work-items.

    %s = fadd <2 x float> %a, %b          %s.0 = fadd float %a.0, %b.0
    %x = extractelement %s, i64 1         %s.1 = fadd float %a.1, %b.1

Loads, stores, and calls that have no form for one component still move whole vectors: the components are
extracted after loads and inserted before stores.

Splitting is profitable if the kernel extracts and inserts components more often than it loads and stores
vectors, with inner loops weighted more: if whole vectors share a register (`wide_vectors.py`), mixing
components takes shuffles; with split vectors, loads and stores do. A scalar that is broadcast to a vector
that fills a register does not count as mixing. A vector at a uniform address is loaded once for all lanes and
broadcast either way: it does not count as loaded, and what is computed from it alone, such as a broadcast of
one of its components, does not count as mixing.

It is not profitable if a loop carries more components than there are registers, such as the accumulators of a
block of a matrix product: they would be reloaded and spilled in every iteration.

With `webs`, each web of vectors is decided separately (`vector_webs.py`), and vectors that are one integer in
memory are unpacked and packed by shifts:

    %p = load <4 x i8>, ptr %a            %p = load i32, ptr %a
    %y = extractelement %p, i64 1         %p.1 = lshr i32 %p, 8
                                          %y = trunc i32 %p.1 to i8

Requires the `divergence` of the kernel. The code grows with the number of components.
"""

from collections.abc import Callable
from enum import unique
from functools import partial

from weft.analysis.divergence import Divergence
from weft.analysis.shape import X
from weft.analysis.shapes import Shapes
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import clone_instruction
from weft.ir.dominators import reverse_post_order
from weft.ir.graph import reachable
from weft.ir.loops import loop_forest
from weft.ir.opcodes import BINARY, CASTS
from weft.ir.types import (
    I1,
    I32,
    FloatType,
    FunctionType,
    IntType,
    Type,
    VectorType,
    intrinsic_suffix,
    size_of,
)
from weft.ir.values import (
    Constant,
    ConstantAggregate,
    ConstantInt,
    ConstantZero,
    Poison,
    Undef,
    const_int,
    zero_of,
)
from weft.recursion import Definition, Recursion
from weft.remarks import SILENT, Message, Remarks
from weft.target import Target

from .lanewise import FOLDS, LANEWISE
from .vector_webs import (
    MIXING,
    VectorWebs,
    fills_register,
    is_splat,
    is_varying_vector,
    is_word,
    regroups,
)
from .wide_vectors import components, insertions, shuffle_mask

# Maps the name of a built-in for several elements and an element count to the name for that count.
ScalarForm = Callable[[str, int], str | None]

_COMPONENTWISE = frozenset((*BINARY, *CASTS, "icmp", "fcmp", "fneg", "freeze"))


@unique
class SplitVectors(Message):
    """Remarks about the vectors of a kernel that differ between work-items."""

    SPLIT = (
        "vectors are split into components, each a scalar of its own: components are mixed more often "
        "({mixed}) than vectors are loaded and stored ({moved})"
    )
    KEPT = "vectors are not split: components are mixed ({mixed}) no more often than moved ({moved})"
    CARRIED = "vectors are not split: a loop carries {components} components in {registers} registers"


def split_vectors(
    function: Function,
    shape: Divergence,
    scalar_form: ScalarForm,
    target: Target,
    along_lanes: Callable[[], Shapes],
    remarks: Remarks = SILENT,
    webs: bool = False,
) -> int:
    """Split the vectors of a kernel if that is profitable; return the number of replaced values.

    `along_lanes` returns shapes that tell which values differ along x, the dimension of the lanes.
    """
    if not any(is_varying_vector(i, shape) for i in function.instructions()):
        return 0
    carried, registers = _most_carried(function, shape), target.vector_registers
    if carried > registers:
        remarks.missed(SplitVectors.CARRIED, components=carried, registers=registers)
        return 0
    if webs:
        vector_webs = VectorWebs(function, shape, target.costs.loop_trips)
        count = _Splitter(function, shape, scalar_form, vector_webs).run() if vector_webs.mixed else 0
        if count:
            remarks.passed(SplitVectors.SPLIT, mixed=vector_webs.mixed, moved=vector_webs.moved, values=count)
        return count
    mixed, moved = _uses(function, along_lanes(), target)
    if mixed <= moved:
        remarks.missed(SplitVectors.KEPT, mixed=mixed, moved=moved)
        return 0
    count = _Splitter(function, shape, scalar_form).run()
    if count:
        remarks.passed(SplitVectors.SPLIT, mixed=mixed, moved=moved, values=count)
    return count


def _most_carried(function: Function, shape: Divergence) -> int:
    """Return the maximal number of vector components that a loop carries."""
    most = 0
    for loop in loop_forest(function).loops:
        phis = [phi for phi in loop.header.phis() if is_varying_vector(phi, shape)]
        most = max(most, sum(phi.type.count for phi in phis if isinstance(phi.type, VectorType)))
    return most


def _uses(function: Function, shape: Shapes, target: Target) -> tuple[int, int]:
    """Return how often components are mixed and vectors are moved, with inner loops weighted more."""
    forest, trips = loop_forest(function), target.costs.loop_trips
    same = Recursion(partial(_same_in_lanes, shape), False)
    mixed = moved = 0
    for block in function.blocks:
        weight = trips ** forest.depth(block)
        for i in block.instructions:
            if all(map(same, i.operands)):
                continue
            if i.opcode in MIXING or regroups(i):
                broadcast = is_splat(i) and fills_register(i.type, target)
                mixed += 0 if broadcast else weight
            elif i.opcode in ("load", "store") and isinstance(i.accessed_type, VectorType):
                moved += weight
    return mixed, moved


def _same_in_lanes(shape: Shapes, value: Value) -> Definition[Value, bool]:
    """Whether lanes have the same value; in lock step they also load the same from one address."""
    if isinstance(value, Block) or shape.is_uniform(value, X):
        return True
    if not isinstance(value, Instruction) or value.info.writes or value.opcode in ("phi", "call", "alloca"):
        return False
    for operand in value.operands:
        if not (yield operand):
            return False
    return not value.is_ordered


class _Splitter:
    def __init__(
        self,
        function: Function,
        shape: Divergence,
        scalar_form: ScalarForm,
        webs: VectorWebs | None = None,
    ) -> None:
        module = function.parent
        self.webs = webs
        self.function, self.shape, self.module, self.scalar_form = function, shape, module, scalar_form
        self.parts: dict[Value, list[Value]] = {}
        self.phis: list[Instruction] = []
        self.split: dict[Instruction, None] = {}  # vectors that are no longer needed as such
        self.scalars: dict[Instruction, Value] = {}  # replacements of scalars computed from vectors

    def run(self) -> int:
        for block in reverse_post_order(self.function):
            for i in list(block.instructions):
                self._instruction(i)
        for phi in self.phis:
            for value, source in phi.incoming():
                for part, new in zip(self._of(value), self.parts[phi], strict=True):
                    assert isinstance(new, Instruction)
                    new.add_incoming(part, source)
        for i in self.split:
            self._whole_for_other_users(i)
        for i, value in self.scalars.items():
            while isinstance(value, Instruction) and value in self.scalars:
                value = self.scalars[value]
            i.replace_all_uses_with(value)
        self._clean()
        return len(self.split) + len(self.scalars)

    # Components of values

    def _of(self, value: Value) -> list[Value]:
        """Return the components of a vector."""
        parts = self.parts.get(value)
        if parts is None:
            parts = self._extracted(value)
            if not isinstance(value, Constant):
                self.parts[value] = parts
        return parts

    def _extracted(self, value: Value) -> list[Value]:
        type = value.type
        assert isinstance(type, VectorType)
        if isinstance(value, ConstantAggregate):
            return list(value.elements)
        if isinstance(value, ConstantZero):
            return [zero_of(type.element)] * type.count
        if isinstance(value, Poison | Undef):
            return [value.__class__(type.element)] * type.count
        if isinstance(value, Instruction):
            if self.webs is not None and _is_assembled(value):
                return self._assembled(value, type)
            if self.webs is not None and value.opcode == "load" and is_word(type):
                return self._loaded(value, type)
            b = Builder.after(value)
        else:
            b = Builder.at_start(self.function.blocks[0])
        return [b.emit("extractelement", type.element, [value, const_int(I32, k)]) for k in range(type.count)]

    # Instructions

    def _instruction(self, i: Instruction) -> None:
        if i.is_terminator or not self._concerns(i):
            return
        b = Builder(i.parent, i)
        if isinstance(i.type, VectorType):
            parts = self._vector(b, i)
            if parts is not None:
                self.parts[i] = parts
                self.split[i] = None
        else:
            scalar = self._scalar(b, i)
            if scalar is not None:
                self.scalars[i] = scalar

    def _concerns(self, i: Instruction) -> bool:
        """Return whether an instruction creates, or extracts from, a vector that is split."""
        if isinstance(i.type, VectorType):
            return self._is_split(i)
        conditions = _conditions(i) if i.opcode == "icmp" else None
        operands = i.operands if conditions is None else [conditions]
        return any(isinstance(o.type, VectorType) and self._is_split(o) for o in operands)

    def _is_split(self, vector: Value) -> bool:
        return not self.shape.is_uniform(vector) and (self.webs is None or self.webs.is_split(vector))

    def _assembled(self, value: Instruction, type: VectorType) -> list[Value]:
        """Return the components that were inserted into a vector, without building it."""
        inserted, base = insertions(value, lambda insertion: insertion not in self.parts)
        missing = any(k not in inserted for k in range(type.count))
        others = self._of(base) if missing else []
        return [inserted[k] if k in inserted else others[k] for k in range(type.count)]

    def _loaded(self, load: Instruction, type: VectorType) -> list[Value]:
        """Return the components of a vector that is loaded as one integer."""
        b = Builder(load.parent, load)
        word = clone_instruction(load, {})
        word.type = IntType(8 * size_of(type))
        parts = self._bits(b, b.insert(word), type)
        assert parts is not None
        self.parts[load], self.split[load] = parts, None
        return parts

    def _vector(self, b: Builder, i: Instruction) -> list[Value] | None:
        """Return the components of the result of an instruction; None if it stays whole."""
        type = i.type
        assert isinstance(type, VectorType)
        match i.opcode:
            case "phi":
                self.phis.append(i)
                phis = [Instruction("phi", type.element, [], _name(i, k)) for k in range(type.count)]
                for new in phis:
                    i.parent.insert(i.parent.first_non_phi, new)
                return list(phis)
            case "shufflevector":
                both = [*self._of(i.operands[0]), *self._of(i.operands[1])]
                return [Poison(type.element) if k is None else both[k] for k in shuffle_mask(i)]
            case "insertelement":
                return self._inserted(b, i)
            case "bitcast":
                return self._bits(b, i.operands[0], type)
            case "call":
                return self._call(b, i, type)
            case "select":
                condition, yes, no = i.operands
                conditions = (
                    self._of(condition)
                    if isinstance(condition.type, VectorType)
                    else [condition] * type.count
                )
                rows = zip(conditions, self._of(yes), self._of(no), strict=True)
                return [self._component(b, i, type.element, list(row), k) for k, row in enumerate(rows)]
            case opcode if opcode in _COMPONENTWISE:
                columns = zip(*(self._of(o) for o in i.operands), strict=True)
                return [self._component(b, i, type.element, list(row), k) for k, row in enumerate(columns)]
        return None

    def _component(self, b: Builder, i: Instruction, type: Type, operands: list[Value], k: int) -> Value:
        """Emit an instruction for component `k`; poison operands give poison."""
        poison = [isinstance(o, Poison) for o in operands[-2:]]
        if i.opcode != "freeze" and (all(poison) if i.opcode == "select" else any(poison)):
            return Poison(type)
        metadata = {name: node for name, node in i.metadata.items() if name in ("fpmath", "dbg")}
        return b.insert(
            Instruction(i.opcode, type, operands, _name(i, k), i.flags, dict(i.attributes), metadata)
        )

    def _inserted(self, b: Builder, i: Instruction) -> list[Value]:
        vector, scalar, index = i.operands
        parts = list(self._of(vector))
        if isinstance(index, ConstantInt):
            if index.value < len(parts):
                parts[index.value] = scalar
            return parts
        return [
            b.select(b.icmp("eq", index, const_int(index.type, k)), scalar, part)
            for k, part in enumerate(parts)
        ]

    def _call(self, b: Builder, i: Instruction, type: VectorType) -> list[Value] | None:
        """Replace a call on vectors by one call per component; None if there is no form for one component."""
        callee = i.called_function
        if callee is None:
            return None
        name = callee.name or ""
        base = name.removeprefix("llvm.").rpartition(".")[0]
        immediate: tuple[int, ...] = ()
        if name.startswith("llvm."):
            if base not in LANEWISE:
                return None
            immediate = LANEWISE[base]
            form: str | None = f"llvm.{base}.{intrinsic_suffix(i.arguments[0].type.scalar)}"
        else:
            if any(components(a.type) != type.count for a in i.arguments):
                return None
            form = self.scalar_form(name, 1)
        if form is None:
            return None
        types = [a.type if k in immediate else a.type.scalar for k, a in enumerate(i.arguments)]
        function = self.module.declare(form, FunctionType(type.element, tuple(types)), callee.suffix)
        columns = [[a] * type.count if k in immediate else self._of(a) for k, a in enumerate(i.arguments)]
        calls: list[Value] = []
        for k, row in enumerate(zip(*columns, strict=True)):
            if any(isinstance(a, Poison) for a in row):
                calls.append(Poison(type.element))
                continue
            call = b.call(function, list(row), _name(i, k))
            call.flags = i.flags
            call.metadata = {name: node for name, node in i.metadata.items() if name in ("fpmath", "dbg")}
            if i.attributes.get("suffix"):
                call.attributes["suffix"] = i.attributes["suffix"]
            calls.append(call)
        return calls

    def _scalar(self, b: Builder, i: Instruction) -> Value | None:
        """Return the scalar that an instruction computes from vectors; None if it stays as it is."""
        if i.opcode == "extractelement":
            vector, index = i.operands
            parts = self._of(vector)
            if isinstance(index, ConstantInt):
                return parts[index.value] if index.value < len(parts) else Poison(i.type)
            result = parts[0]
            for k, part in enumerate(parts[1:], 1):
                result = b.select(b.icmp("eq", index, const_int(index.type, k)), part, result)
            return result
        if i.opcode == "icmp" and (conditions := _conditions(i)) is not None:
            return self._truth(b, i, conditions)
        if i.opcode == "bitcast" and isinstance(i.type, IntType | FloatType):
            bits = self._bits(b, i.operands[0], VectorType(i.type, 1))
            return bits[0] if bits is not None else None
        if i.callee_name.startswith("llvm.vector.reduce."):
            name = i.callee_name.removeprefix("llvm.vector.reduce.").partition(".")[0]
            if name in FOLDS:
                parts = self._of(i.arguments[0])
                result = parts[0]
                for part in parts[1:]:
                    result = b.binary(name, result, part)
                return result
        return None

    def _truth(self, b: Builder, i: Instruction, conditions: Value) -> Value | None:
        """Return whether some, none or all conditions of a vector hold."""
        parts = self._of(conditions)
        number = i.operands[1]
        assert isinstance(number, ConstantInt)
        result = parts[0]
        for part in parts[1:]:
            result = b.binary("or" if number.value == 0 else "and", result, part)
        # Different from zero: some hold. All bits set: all hold.
        inverse = (i.attributes["predicate"] == "eq") == (number.value == 0)
        return b.binary("xor", result, const_int(I1, 1)) if inverse else result

    def _bits(
        self, b: Builder, value: Value, type: VectorType, settled: list[Value] | None = None
    ) -> list[Value] | None:
        """Reinterpret a value as components of another type, lowest bits first.

        `settled` has its components if they must not make each other poison.
        """
        source = value.type
        element = source.scalar
        parts = settled or (self._of(value) if isinstance(source, VectorType) else [value])
        if not isinstance(element, IntType | FloatType) or not isinstance(type.element, IntType | FloatType):
            return None
        size, wanted = element.bits, type.element.bits
        if size == wanted:
            return [b.cast("bitcast", p, type.element) for p in parts]
        if max(size, wanted) % min(size, wanted):
            return None
        poison = Poison(IntType(size))
        numbers = [
            poison if isinstance(p, Poison | Undef) else b.cast("bitcast", p, IntType(size)) for p in parts
        ]
        result: list[Value] = []
        if size > wanted:
            for number in numbers:
                for k in range(size // wanted):
                    shifted = b.binary("lshr", number, const_int(IntType(size), k * wanted))
                    piece = b.emit("trunc", IntType(wanted), [shifted])
                    result.append(b.cast("bitcast", piece, type.element))
            return result
        each = wanted // size
        for start in range(0, len(numbers), each):
            whole: Value | None = None
            for k, number in enumerate(numbers[start : start + each]):
                if number is poison:
                    continue  # its bits are arbitrary, but must not make the others poison
                wide = b.emit("zext", IntType(wanted), [number])
                placed = b.binary("shl", wide, const_int(IntType(wanted), k * size))
                whole = placed if whole is None else b.binary("or", whole, placed)
            result.append(Poison(type.element) if whole is None else b.cast("bitcast", whole, type.element))
        return result

    # Other users

    def _whole_for_other_users(self, i: Instruction) -> None:
        """Assemble a vector before the users that need it whole."""
        for user in list(i.users):
            if user in self.split:
                continue
            if user.opcode == "phi":
                for index in range(0, len(user.operands), 2):
                    if user.operands[index] is i:
                        source = user.operands[index + 1]
                        assert isinstance(source, Block)
                        user.set_operand(index, self._whole(Builder(source, source.terminator), i))
            elif self.webs is not None and user.opcode == "store" and is_word(i.type):
                b = Builder(user.parent, user)
                settled = [_settled(b, part) for part in self.parts[i]]
                word = self._bits(b, i, VectorType(IntType(8 * size_of(i.type)), 1), settled)
                assert word is not None
                user.replace_operand(i, word[0])
            else:
                user.replace_operand(i, self._whole(Builder(user.parent, user), i))

    def _whole(self, b: Builder, i: Instruction) -> Value:
        value: Value = Poison(i.type)
        for k, part in enumerate(self.parts[i]):
            if not isinstance(part, Poison):
                value = b.emit("insertelement", i.type, [value, part, const_int(I32, k)])
        return value

    def _clean(self) -> None:
        """Remove unused instructions."""
        unneeded = [*self.split, *self.scalars]
        for i in unneeded:
            i.set_operands(())
        for i in unneeded:
            i.erase()
        pure = _COMPONENTWISE.union(MIXING, ("select", "phi"))
        work = [i for i in self.function.instructions() if not i.users]
        while work:
            i = work.pop()
            if i.block is None or i.users or i.opcode not in pure:
                continue
            operands = [o for o in i.operands if isinstance(o, Instruction)]
            i.erase()
            work += [o for o in operands if not o.users]


def _name(i: Instruction, component: int) -> str | None:
    return f"{i.name}.{component}" if i.name else None


def _settled(b: Builder, part: Value) -> Value:
    """Freeze a component that may be poison before it is combined with others."""

    def choices(value: Value) -> list[Value]:
        if not isinstance(value, Instruction) or value.opcode not in ("phi", "select"):
            return []
        return value.operands[::2] if value.opcode == "phi" else value.operands[1:]

    may_be_poison = any(isinstance(v, Poison | Undef) for v in reachable([part], choices) if v is not part)
    return b.emit("freeze", part.type, [part]) if may_be_poison else part


def _is_assembled(i: Instruction) -> bool:
    """Return whether an instruction inserts a component at a constant index."""
    return i.opcode == "insertelement" and isinstance(i.operands[2], ConstantInt)


def _conditions(i: Instruction) -> Value | None:
    """Return the condition vector that a comparison with all bits or none tests, if `i` is one."""
    bits, number = i.operands
    if not isinstance(bits, Instruction) or bits.opcode != "bitcast" or not isinstance(number, ConstantInt):
        return None
    vector = bits.operands[0]
    if not isinstance(vector.type, VectorType) or vector.type.element is not I1:
        return None
    plain = i.attributes["predicate"] in ("eq", "ne") and number.signed in (0, -1)
    return vector if plain else None
