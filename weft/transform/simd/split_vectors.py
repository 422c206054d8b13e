"""Split OpenCL C vectors that differ between work-items into their components, where that pays.

Each component is a scalar, of which SIMD lanes hold one for each work-item.

    %s = fadd <2 x float> %a, %b          %s.0 = fadd float %a.0, %b.0
    %x = extractelement %s, i64 1         %s.1 = fadd float %a.1, %b.1

Loads and stores, and calls that have no form for one component, still move whole vectors; they are taken
apart after the former and put together before the latter.

It pays when a kernel takes vectors apart and puts them together more often than it loads and stores them,
inner loops counting more: several whole vectors in a register (`wide_vectors.py`) need a shuffle for the
former, components need shuffles for the latter. A scalar that becomes a vector which fills a register is not
mixed: it is broadcast.

It does not pay where a loop carries more components from iteration to iteration than there are registers, as
the sums of a block of a matrix: split, they are loaded and stored in every iteration.

With `webs` it is decided for each web of vectors by itself (`vector_webs.py`), and vectors that are one
integer in memory are taken apart and put together by shifts:

    %p = load <4 x i8>, ptr %a            %p = load i32, ptr %a
    %y = extractelement %p, i64 1         %p.1 = lshr i32 %p, 8
                                          %y = trunc i32 %p.1 to i8

Requires the `divergence` of the kernel. The code grows with the number of components.
"""

from collections.abc import Callable
from enum import unique

from weft.analysis.divergence import Divergence
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import clone_instruction
from weft.ir.dominators import reverse_post_order
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
from weft.remarks import SILENT, Message, Remarks
from weft.target import Target

from .lanewise import FOLDS, LANEWISE
from .vector_webs import MIXING, VectorWebs, fills_register, is_splat, is_varying_vector, is_word, regroups
from .wide_vectors import components, shuffle_mask

# The name of a built-in's form for one element, from the name of a form for several.
ScalarForm = Callable[[str, int], str | None]

_COMPONENTWISE = frozenset((*BINARY, *CASTS, "icmp", "fcmp", "fneg", "freeze"))


@unique
class SplitVectors(Message):
    """What became of the vectors of a kernel that differ between work-items."""

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
    always: bool = False,
    remarks: Remarks = SILENT,
    webs: bool = False,
) -> int:
    """Splits the vectors of a kernel if that pays; returns how many values are different ones now."""
    carried, registers = 0 if always else _most_carried(function, shape), target.vector_registers
    if carried > registers:
        remarks.missed(SplitVectors.CARRIED, components=carried, registers=registers)
        return 0
    if webs and not always:
        found = VectorWebs(function, shape, target.costs.loop_trips)
        count = _Splitter(function, shape, scalar_form, found).run() if found.mixed else 0
        if count:
            remarks.passed(SplitVectors.SPLIT, mixed=found.mixed, moved=found.moved, values=count)
        return count
    mixed, moved = _uses(function, shape, target)
    if not always and mixed <= moved:
        if remarks and any(is_varying_vector(i, shape) for i in function.instructions()):
            remarks.missed(SplitVectors.KEPT, mixed=mixed, moved=moved)
        return 0
    count = _Splitter(function, shape, scalar_form).run()
    if count:
        remarks.passed(SplitVectors.SPLIT, mixed=mixed, moved=moved, values=count)
    return count


def _most_carried(function: Function, shape: Divergence) -> int:
    """The most components of vectors that the iterations of a loop hand on."""
    most = 0
    for loop in loop_forest(function).loops:
        phis = [phi for phi in loop.header.phis() if is_varying_vector(phi, shape)]
        most = max(most, sum(phi.type.count for phi in phis if isinstance(phi.type, VectorType)))
    return most


def _uses(function: Function, shape: Divergence, target: Target) -> tuple[int, int]:
    """How often components are mixed, and vectors loaded and stored; inner loops count more."""
    forest, trips = loop_forest(function), target.costs.loop_trips
    mixed = moved = 0
    for block in function.blocks:
        weight = trips ** forest.depth(block)
        for i in block.instructions:
            if all(shape.is_uniform(o) for o in i.operands) and shape.is_uniform(i):
                continue
            if i.opcode in MIXING or regroups(i):
                broadcast = is_splat(i) and fills_register(i.type, target)
                mixed += 0 if broadcast else weight
            elif i.opcode in ("load", "store"):
                type = i.accessed_type
                moved += weight * isinstance(type, VectorType)
    return mixed, moved


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
        self.scalars: dict[Instruction, Value] = {}  # what scalars taken from vectors have become

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
        """The components of a vector."""
        found = self.parts.get(value)
        if found is None:
            found = self._taken_apart(value)
            if not isinstance(value, Constant):
                self.parts[value] = found
        return found

    def _taken_apart(self, value: Value) -> list[Value]:
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
            block = value.parent
            if value.opcode == "phi":
                b = Builder.at_start(block)
            else:
                b = Builder(block, block.instructions[block.index(value) + 1])
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
        """Whether an instruction makes a vector that differs between work-items, or takes one apart."""
        if isinstance(i.type, VectorType):
            return self._is_split(i)
        conditions = _conditions(i) if i.opcode == "icmp" else None
        operands = i.operands if conditions is None else [conditions]
        return any(isinstance(o.type, VectorType) and self._is_split(o) for o in operands)

    def _is_split(self, vector: Value) -> bool:
        return not self.shape.is_uniform(vector) and (self.webs is None or self.webs.is_split(vector))

    def _assembled(self, value: Instruction, type: VectorType) -> list[Value]:
        """The components that were put into a vector, without making it."""
        found: dict[int, Value] = {}
        base: Value = value
        while isinstance(base, Instruction) and _is_assembled(base) and base not in self.parts:
            rest, part, index = base.operands
            assert isinstance(index, ConstantInt)
            found.setdefault(index.value, part)
            base = rest
        missing = any(k not in found for k in range(type.count))
        others = self._of(base) if missing else []
        return [found[k] if k in found else others[k] for k in range(type.count)]

    def _loaded(self, load: Instruction, type: VectorType) -> list[Value]:
        """The components of a vector that is loaded as one integer."""
        b = Builder(load.parent, load)
        word = clone_instruction(load, {})
        word.type = IntType(8 * size_of(type))
        parts = self._bits(b, b.insert(word), type)
        assert parts is not None
        self.parts[load], self.split[load] = parts, None
        return parts

    def _vector(self, b: Builder, i: Instruction) -> list[Value] | None:
        """The components of what an instruction computes; None when it stays whole."""
        type = i.type
        assert isinstance(type, VectorType)
        match i.opcode:
            case "phi":
                self.phis.append(i)
                made = [Instruction("phi", type.element, [], _name(i, k)) for k in range(type.count)]
                for new in made:
                    i.parent.insert(i.parent.first_non_phi, new)
                return list(made)
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
                return [self._made(b, i, type.element, list(row), k) for k, row in enumerate(rows)]
            case opcode if opcode in _COMPONENTWISE:
                columns = zip(*(self._of(o) for o in i.operands), strict=True)
                return [self._made(b, i, type.element, list(row), k) for k, row in enumerate(columns)]
        return None

    def _made(self, b: Builder, i: Instruction, type: Type, operands: list[Value], k: int) -> Value:
        """An instruction for one component; of nothing comes nothing."""
        nothing = [isinstance(o, Poison) for o in operands[-2:]]
        if i.opcode != "freeze" and (all(nothing) if i.opcode == "select" else any(nothing)):
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
        """A function of vectors as one of scalars, component by component."""
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
        made: list[Value] = []
        for k, row in enumerate(zip(*columns, strict=True)):
            if any(isinstance(a, Poison) for a in row):
                made.append(Poison(type.element))
                continue
            call = b.call(function, list(row), _name(i, k))
            call.flags = i.flags
            call.metadata = {name: node for name, node in i.metadata.items() if name in ("fpmath", "dbg")}
            if i.attributes.get("suffix"):
                call.attributes["suffix"] = i.attributes["suffix"]
            made.append(call)
        return made

    def _scalar(self, b: Builder, i: Instruction) -> Value | None:
        """A scalar that an instruction computes from vectors; None when it stays as it is."""
        if i.opcode == "extractelement":
            vector, index = i.operands
            parts = self._of(vector)
            if isinstance(index, ConstantInt):
                return parts[index.value] if index.value < len(parts) else Poison(i.type)
            found = parts[0]
            for k, part in enumerate(parts[1:], 1):
                found = b.select(b.icmp("eq", index, const_int(index.type, k)), part, found)
            return found
        if i.opcode == "icmp" and (conditions := _conditions(i)) is not None:
            return self._truth(b, i, conditions)
        if i.opcode == "bitcast" and isinstance(i.type, IntType | FloatType):
            made = self._bits(b, i.operands[0], VectorType(i.type, 1))
            return made[0] if made is not None else None
        if i.callee_name.startswith("llvm.vector.reduce."):
            name = i.callee_name.removeprefix("llvm.vector.reduce.").partition(".")[0]
            if name in FOLDS:
                parts = self._of(i.arguments[0])
                found = parts[0]
                for part in parts[1:]:
                    found = b.binary(name, found, part)
                return found
        return None

    def _truth(self, b: Builder, i: Instruction, conditions: Value) -> Value | None:
        """Whether some, none or all of a vector's conditions hold."""
        parts = self._of(conditions)
        number = i.operands[1]
        assert isinstance(number, ConstantInt)
        found = parts[0]
        for part in parts[1:]:
            found = b.binary("or" if number.value == 0 else "and", found, part)
        # Not zero: some hold. All bits: all hold.
        inverse = (i.attributes["predicate"] == "eq") == (number.value == 0)
        return b.binary("xor", found, const_int(I1, 1)) if inverse else found

    def _bits(
        self, b: Builder, value: Value, type: VectorType, settled: list[Value] | None = None
    ) -> list[Value] | None:
        """The bits of a value as components of another type, the first ones lowest.

        `settled` are its components, if they must not make one another poison.
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
        nothing = Poison(IntType(size))
        numbers = [
            nothing if isinstance(p, Poison | Undef) else b.cast("bitcast", p, IntType(size)) for p in parts
        ]
        made: list[Value] = []
        if size > wanted:
            for number in numbers:
                for k in range(size // wanted):
                    shifted = b.binary("lshr", number, const_int(IntType(size), k * wanted))
                    piece = b.emit("trunc", IntType(wanted), [shifted])
                    made.append(b.cast("bitcast", piece, type.element))
            return made
        each = wanted // size
        for start in range(0, len(numbers), each):
            whole: Value | None = None
            for k, number in enumerate(numbers[start : start + each]):
                if number is nothing:
                    continue  # any bits will do, but none that make the others poison
                wide = b.emit("zext", IntType(wanted), [number])
                placed = b.binary("shl", wide, const_int(IntType(wanted), k * size))
                whole = placed if whole is None else b.binary("or", whole, placed)
            made.append(Poison(type.element) if whole is None else b.cast("bitcast", whole, type.element))
        return made

    # Other users

    def _whole_for_other_users(self, i: Instruction) -> None:
        """Puts a vector together before those that need it whole."""
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
        """Removes what nobody uses any more."""
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
    """A component to be put together with others, of which it must not make poison."""
    seen = {part}
    work = [part]
    while work:
        value = work.pop()
        if isinstance(value, Poison | Undef) and value is not part:
            return b.emit("freeze", part.type, [part])
        if isinstance(value, Instruction) and value.opcode in ("phi", "select"):
            found = [v for v, _ in value.incoming()] if value.opcode == "phi" else value.operands[1:]
            work += [v for v in found if v not in seen]
            seen.update(found)
    return part


def _is_assembled(i: Instruction) -> bool:
    """Whether an instruction puts a component into a vector, at a place that is known."""
    return i.opcode == "insertelement" and isinstance(i.operands[2], ConstantInt)


def _conditions(i: Instruction) -> Value | None:
    """The vector of conditions whose bits a comparison compares with none or all."""
    bits, number = i.operands
    if not isinstance(bits, Instruction) or bits.opcode != "bitcast" or not isinstance(number, ConstantInt):
        return None
    vector = bits.operands[0]
    if not isinstance(vector.type, VectorType) or vector.type.element is not I1:
        return None
    plain = i.attributes["predicate"] in ("eq", "ne") and number.signed in (0, -1)
    return vector if plain else None
