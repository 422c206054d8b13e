"""From the work-group function, as LLVM leaves it, to operations of a machine of 32 bits.

Pointers are words: device memory has less than 4 GiB. A 64-bit integer is two words, of which the high one is
computed only where something depends on it: indices need none. Narrower integers are words whose other bits
mean nothing. Vectors are their elements. Bits are compared, joined and moved as such.

Addresses are sums modulo 2^32, so index computations are taken apart, whatever widths they were written in,
and added up anew in an order in which accesses to neighbouring elements share most of their sum.

What the machine has no operation for is refused, unless it is short in others: comparisons of floats are
done with integers where no unit compares floats.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from weft import ir
from weft.ir import Argument, Constant, Function, GlobalVariable, Instruction
from weft.ir.addresses import offset_terms
from weft.ir.dominators import reverse_post_order
from weft.ir.loops import loop_forest
from weft.ir.printer import print_instruction
from weft.ir.types import (
    ArrayType,
    FloatType,
    IntType,
    NamedType,
    PointerType,
    StructType,
    Type,
    VectorType,
    alignment_of,
    field_offset,
    size_of,
    struct_body,
)
from weft.ir.values import (
    ConstantAggregate,
    ConstantExpression,
    ConstantFloat,
    ConstantInt,
    ConstantString,
    ConstantZero,
    Poison,
    Undef,
    constant_of,
)

from .builder import Builder
from .code import Access, Block, Code, Operand, Phi, Value
from .errors import Refused
from .machine import Machine
from .operations import WORD

ITEM = "weft.item"
_BINARY = {
    "add": "add", "sub": "sub", "mul": "mul", "and": "and", "or": "ior", "xor": "xor", "fadd": "fadd",
    "fsub": "fsub", "fmul": "fmul", "fdiv": "fdiv",
}  # fmt: skip
_DIVISIONS = {"udiv": "divu", "urem": "remu", "sdiv": "div", "srem": "rem"}
_SAME_HIGH = ("add", "sub", "mul", "and", "or", "xor", "shl", "phi", "select", "freeze", "insertelement")
_IGNORED = ("llvm.assume", "llvm.lifetime.", "llvm.experimental.noalias.scope.decl", "llvm.dbg.")
_MIN_MAX = {"smin": "min", "smax": "max", "umin": "minu", "umax": "maxu"}
LARGEST_COPY = 256
MOST_TERMS = 12

Parts = list[Operand]
"""The words of a value: one for each element, or two where it has 64 bits, the low one first."""


@dataclass(frozen=True)
class MemoryMap:
    """Where a work-group function finds what is not in buffers; `end`: where its stack begins."""

    launch: int
    args: int
    local: int
    groups: int
    end: int


def lower(function: Function, machine: Machine, places: MemoryMap) -> tuple[Code, dict[int, bytes]]:
    """The code of a work-group function, and the constants that it needs in memory, by their addresses.

    Raises Refused if the machine cannot do what the function does.
    """
    return _Lowering(function, machine, places).run()


class _Lowering:
    def __init__(self, function: Function, machine: Machine, places: MemoryMap) -> None:
        assert function.module is not None
        self.function, self.module, self.places = function, function.module, places
        self.code = Code([], 0, 0)
        self.build = Builder(self.code, machine)
        self.blocks: dict[ir.Block, Block] = {}
        self.ends: dict[ir.Block, Block] = {}
        self.parts: dict[ir.Value, Parts] = {}
        self.needs_high = _needs_high(function)
        self.memory = places.end
        self.data: dict[int, bytes] = {}
        self.globals: dict[GlobalVariable, int] = {}
        self.value_depth: dict[Value, int] = {}
        self.depth = {block: loop_forest(function).depth(block) for block in function.blocks}

    def run(self) -> tuple[Code, dict[int, bytes]]:
        order = reverse_post_order(self.function)
        for block in order:
            self.blocks[block] = Block(block.name or f"block{len(self.blocks)}")
            self.code.blocks.append(self.blocks[block])
        self._parameters()
        for block in order:
            for phi in block.phis():
                self._record(phi, [self.code.new_value(_is_bit(phi.type)) for _ in self._new_parts(phi)])
        for block in order:
            self.build.at(self.blocks[block])
            for instruction in block.instructions[block.first_non_phi :]:
                self._instruction(instruction)
            assert self.build.block is not None
            self.ends[block] = self.build.block
        for block in order:
            for phi in block.phis():
                self._phi(phi, self.blocks[block])
        self.code.spill_base = -(-self.memory // 16) * 16
        return self.code, self.data

    # ---- values

    def _parameters(self) -> None:
        entry = self.blocks[self.function.entry]
        self.build.at(entry)
        launch, args, local, _, *groups = self.function.arguments
        for argument, place in (
            (launch, self.places.launch),
            (args, self.places.args),
            (local, self.places.local),
        ):
            self.parts[argument] = [place]
        for number, argument in enumerate(groups):
            if argument.users:
                at = self.places.groups + 4 * number
                self.parts[argument] = [self.build.load(4, at, Access("launch", None, at, 4)), 0]

    def _new_parts(self, value: ir.Value) -> Parts:
        """As many places as a value has words that are computed."""
        type = value.type
        count = type.count if isinstance(type, VectorType) else 1
        words = self._words(type.scalar, value)
        return [0] * (count * words)

    def _words(self, scalar: Type, where: object) -> int:
        if isinstance(scalar, IntType):
            if scalar.bits <= 32:
                return 1
            if scalar.bits == 64:
                return 2 if where in self.needs_high or not isinstance(where, Instruction) else 1
        if isinstance(scalar, PointerType) or (isinstance(scalar, FloatType) and scalar.kind == "float"):
            return 1
        words = f"numbers of type {scalar}"
        raise self._refused(where if isinstance(where, Instruction) else None, words)

    def _refused(self, instruction: Instruction | None, what: str) -> Refused:
        where = f" (`{print_instruction(instruction).strip()}`)" if instruction is not None else ""
        return Refused(f"the machine {self.build.machine.name} cannot compute with {what}{where}")

    def get(self, value: ir.Value) -> Parts:
        """The words of a value: of a 64-bit number that nothing needs the high word of, the low one alone."""
        found = self.parts.get(value)
        if found is None:
            if isinstance(value, GlobalVariable):
                found = [self._variable(value)]
            elif isinstance(value, Constant):
                found = self._constant(value)
            else:
                raise self._refused(None, f"the value %{value.name}")
            if not isinstance(value, Constant):
                self.parts[value] = found
        return found

    def low(self, value: ir.Value) -> Parts:
        """The low word of each element."""
        found = self.get(value)
        count = value.type.count if isinstance(value.type, VectorType) else 1
        return found[:: len(found) // count]

    def pair(self, value: ir.Value, element: int = 0) -> tuple[Operand, Operand]:
        """Both words of an element of 64 bits."""
        found = self.get(value)
        return found[2 * element], found[2 * element + 1]

    def _constant(self, value: Constant) -> Parts:
        scalar = value.type.scalar
        count = value.type.count if isinstance(value.type, VectorType) else 1
        match value:
            case ConstantInt():
                if value.type.bits > 64:
                    raise self._refused(None, f"numbers of type {value.type}")
                return [value.value] if value.type.bits <= 32 else [value.value & WORD, value.value >> 32]
            case ConstantFloat():
                if value.type.kind != "float":
                    raise self._refused(None, f"numbers of type {value.type}")
                return [value.bits]
            case ConstantZero() | Undef() | Poison():
                wide = isinstance(scalar, IntType) and scalar.bits > 32
                return [0] * (count * (2 if wide else 1))
            case ConstantAggregate() if value.type.is_vector:
                return [part for element in value.elements for part in self.get(element)]
            case ConstantExpression() if value.opcode == "getelementptr":
                return [self._address(value.operands, value.attributes["element_type"], None)]
            case ConstantExpression() if value.opcode in ("addrspacecast", "inttoptr", "bitcast"):
                return self.low(value.operands[0])
            case ConstantExpression() if value.opcode == "ptrtoint":
                return [*self.low(value.operands[0]), 0]
        raise self._refused(None, f"a constant of type {value.type}")

    def _variable(self, variable: GlobalVariable) -> int:
        """The address of a constant of the program, which is put into memory."""
        if variable not in self.globals:
            if variable.initializer is None or not variable.is_constant:
                raise self._refused(None, f"the variable @{variable.name} of the program")
            at = self._allocate(size_of(variable.value_type), alignment_of(variable.value_type))
            self.globals[variable] = at
            self.data[at] = self._bytes(variable.initializer, size_of(variable.value_type))
        return self.globals[variable]

    def _bytes(self, initializer: ir.Value, size: int) -> bytes:
        """A constant as it lies in memory; aggregates are taken apart one after the other."""
        made = bytearray(size)
        work: list[tuple[ir.Value, int]] = [(initializer, 0)]
        while work:
            value, at = work.pop()
            type = value.type
            match value:
                case ConstantZero() | Undef() | Poison():
                    continue
                case ConstantString():
                    made[at : at + len(value.data)] = value.data
                case ConstantInt():
                    width = size_of(type)
                    made[at : at + width] = value.value.to_bytes(width, "little")
                case ConstantFloat():
                    made[at : at + size_of(type)] = value.bits.to_bytes(size_of(type), "little")
                case ConstantAggregate():
                    for number, element in enumerate(value.elements):
                        if isinstance(type, StructType | NamedType):
                            work.append((element, at + field_offset(struct_body(type), number)))
                        else:
                            assert isinstance(type, ArrayType | VectorType)
                            work.append((element, at + number * size_of(type.element)))
                case _:
                    address = self.get(value)[0]
                    assert isinstance(address, int)
                    made[at : at + 8] = address.to_bytes(8, "little")
        return bytes(made)

    def _allocate(self, size: int, alignment: int) -> int:
        at = -(-self.memory // max(alignment, 4)) * max(alignment, 4)
        self.memory = at + size
        return at

    def _phi(self, phi: Instruction, block: Block) -> None:
        results = self.parts[phi]
        phis: list[Phi] = []
        for result in results:
            assert isinstance(result, Value)
            phis.append(Phi(result, {}))
        for value, source in phi.incoming():
            if source not in self.ends:
                continue  # it cannot be reached
            given = self.get(value) if len(self.get(value)) == len(results) else self.low(value)
            for made, operand in zip(phis, given, strict=True):
                made.incoming[self.ends[source]] = operand
        block.phis += phis

    # ---- instructions

    def _instruction(self, instruction: Instruction) -> None:
        handler = _HANDLERS.get(instruction.opcode)
        if handler is None:
            raise self._refused(instruction, f"the instruction {instruction.opcode}")
        try:
            made = handler(self, instruction)
        except Refused as error:
            if "(`" in str(error):
                raise
            raise Refused(f"{error} (`{print_instruction(instruction).strip()}`)") from None
        if made is not None:
            self._record(instruction, made)

    def _record(self, instruction: Instruction, made: Parts) -> None:
        self.parts[instruction] = made
        depth = self.depth.get(instruction.parent, 0)
        for part in made:
            if isinstance(part, Value):
                self.value_depth.setdefault(part, depth)

    def _binary(self, i: Instruction) -> Parts:
        scalar = i.type.scalar
        a, b = i.operands
        if isinstance(scalar, FloatType):
            self._words(scalar, i)
            name = _BINARY.get(i.opcode)
            if name is None:
                raise self._refused(i, f"the instruction {i.opcode}")
            return [self.build.op(name, x, y) for x, y in zip(self.get(a), self.get(b), strict=True)]
        assert isinstance(scalar, IntType)
        bits, words = scalar.bits, self._words(scalar, i)
        count = i.type.count if isinstance(i.type, VectorType) else 1
        made: Parts = []
        for n in range(count):
            if words == 2:
                made += self._wide_binary(i, n)
            elif bits > 32 and i.opcode in ("lshr", "ashr"):
                made.append(self._wide_shift_right(i, n)[0])
            elif bits > 32 and i.opcode in _DIVISIONS:
                raise self._refused(i, "quotients of 64 bits")
            elif bits > 32 and i.opcode == "shl":
                made.append(self._low_shift_left(self.low(a)[n], self.low(b)[n]))
            else:
                made.append(self._word_binary(i.opcode, min(bits, 32), self.low(a)[n], self.low(b)[n]))
        return made

    def _word_binary(self, opcode: str, bits: int, x: Operand, y: Operand) -> Operand:
        op = self.build.op
        if bits == 1:
            # Sums of bits are exclusive ors; a shift that is not by zero has no result.
            names = {"and": "and", "or": "ior", "xor": "xor", "add": "xor", "sub": "xor", "mul": "and"}
            if opcode in names:
                return op(names[opcode], x, y, boolean=True)
            return 0 if opcode in ("urem", "srem") else x
        if opcode in _BINARY:
            return op(_BINARY[opcode], x, y)
        if opcode == "shl":
            return op("shl", x, y)
        if opcode == "lshr":
            return op("shru", self._extended(x, bits), y)
        if opcode == "ashr":
            return op("shr", self._sign_extended(x, bits), y)
        extend = self._extended if opcode[0] == "u" else self._sign_extended
        x, y = extend(x, bits), extend(y, bits)
        if isinstance(y, int) and opcode[0] == "u" and y and y & (y - 1) == 0:
            return op("shru", x, y.bit_length() - 1) if opcode == "udiv" else op("and", x, y - 1)
        return op(_DIVISIONS[opcode], x, y)

    def _extended(self, x: Operand, bits: int) -> Operand:
        """A number of `bits` bits as a word, zero-extended."""
        return x if bits in (1, 32) else self.build.op("and", x, (1 << bits) - 1)

    def _sign_extended(self, x: Operand, bits: int) -> Operand:
        op = self.build.op
        if bits == 32:
            return x
        if bits == 1:
            return op("sub", 0, x)
        if bits in (8, 16):
            return op("sxb" if bits == 8 else "sxh", x)
        return op("shr", op("shl", x, 32 - bits), 32 - bits)

    def _wide_binary(self, i: Instruction, n: int) -> Parts:
        """Both words of an operation on 64 bits."""
        op = self.build.op
        if i.opcode in ("lshr", "ashr"):
            return list(self._wide_shift_right(i, n))
        if i.opcode == "shl":
            return list(self._wide_shift_left(i, n))
        if i.opcode == "and":
            mask = constant_of(i.operands[1])
            if mask is not None and 0 <= mask <= WORD:
                return [op("and", self.low(i.operands[0])[n], mask), 0]
        if i.opcode in _DIVISIONS:
            raise self._refused(i, "quotients of 64 bits")
        (a, ah), (b, bh) = self.pair(i.operands[0], n), self.pair(i.operands[1], n)
        match i.opcode:
            case "and" | "or" | "xor":
                name = _BINARY[i.opcode]
                return [op(name, a, b), op(name, ah, bh)]
            case "add":
                low = op("add", a, b)
                return [low, op("add", op("add", ah, bh), op("ltu", low, b))]
            case "sub":
                return [op("sub", a, b), op("sub", op("sub", ah, bh), op("ltu", a, b))]
            case "mul":
                cross = op("add", op("mul", a, bh), op("mul", ah, b))
                return [op("mul", a, b), op("add", self._high_product(a, b), cross)]
        raise self._refused(i, f"the instruction {i.opcode} of 64 bits")

    def _high_product(self, a: Operand, b: Operand) -> Operand:
        """The high word of a product of words: by halves where no unit has it."""
        op = self.build.op
        if self.build.has("mulhu"):
            return op("mulhu", a, b)
        al, ah, bl, bh = op("and", a, 0xFFFF), op("shru", a, 16), op("and", b, 0xFFFF), op("shru", b, 16)
        middle = op("add", op("mul", ah, bl), op("shru", op("mul", al, bl), 16))
        other = op("add", op("mul", al, bh), op("and", middle, 0xFFFF))
        return op("add", op("mul", ah, bh), op("add", op("shru", middle, 16), op("shru", other, 16)))

    def _wide_shift_left(self, i: Instruction, n: int) -> tuple[Operand, Operand]:
        op, select = self.build.op, self.build.select
        low, high = self.pair(i.operands[0], n)
        by = self.low(i.operands[1])[n]
        if isinstance(by, int):
            if by >= 32:
                return 0, op("shl", low, by - 32)
            return op("shl", low, by), op("ior", op("shl", high, by), op("shru", low, 32 - by) if by else 0)
        far = op("ltu", 31, by)
        spilled = op("shru", op("shru", low, 1), op("xor", by, 31))
        near = op("ior", op("shl", high, by), spilled)
        return select(far, 0, op("shl", low, by)), select(far, op("shl", low, op("and", by, 31)), near)

    def _low_shift_left(self, low: Operand, by: Operand) -> Operand:
        """The low word of a shift of 64 bits."""
        if isinstance(by, int):
            return self.build.op("shl", low, by) if by < 32 else 0
        return self.build.select(self.build.op("ltu", 31, by), 0, self.build.op("shl", low, by))

    def _wide_shift_right(self, i: Instruction, n: int) -> tuple[Operand, Operand]:
        op, select = self.build.op, self.build.select
        low, high = self.pair(i.operands[0], n)
        by = self.low(i.operands[1])[n]
        name = "shr" if i.opcode == "ashr" else "shru"
        fill = op("shr", high, 31) if i.opcode == "ashr" else 0
        if isinstance(by, int):
            if by >= 32:
                return op(name, high, by - 32), fill
            return op("ior", op("shru", low, by), op("shl", high, 32 - by) if by else 0), op(name, high, by)
        far = op("ltu", 31, by)
        spilled = op("shl", op("shl", high, 1), op("xor", by, 31))
        near = op("ior", op("shru", low, by), spilled)
        return select(far, op(name, high, op("and", by, 31)), near), select(far, fill, op(name, high, by))

    def _negated(self, i: Instruction) -> Parts:
        self._words(i.type.scalar, i)
        return [self.build.op("xor", x, 0x80000000) for x in self.get(i.operands[0])]

    def _compare(self, i: Instruction) -> Parts:
        a, b = i.operands
        scalar = a.type.scalar
        predicate = i.attributes["predicate"]
        count = a.type.count if isinstance(a.type, VectorType) else 1
        if isinstance(scalar, FloatType):
            self._words(scalar, i)
            finite = "nnan" in i.flags or "fast" in i.flags
            pairs = zip(self.get(a), self.get(b), strict=True)
            return [self.float_compare(predicate, x, y, finite) for x, y in pairs]
        if isinstance(scalar, IntType) and scalar.bits > 32:
            self._words(scalar, i)
            return [self._wide_compare(predicate, self.pair(a, n), self.pair(b, n)) for n in range(count)]
        bits = scalar.bits if isinstance(scalar, IntType) else 32
        pairs = zip(self.low(a), self.low(b), strict=True)
        return [self._word_compare(predicate, bits, x, y) for x, y in pairs]

    def _word_compare(self, predicate: str, bits: int, x: Operand, y: Operand) -> Operand:
        op = self.build.op
        extend = self._sign_extended if predicate[0] == "s" else self._extended
        x, y = extend(x, bits), extend(y, bits)
        if predicate in ("eq", "ne"):
            if bits == 1 and y == (1 if predicate == "ne" else 0) and isinstance(y, int):
                return self.build.negate(x)
            return op(predicate, x, y)
        if predicate[1] == "g":
            x, y = y, x
        return op(f"l{predicate[2]}{'u' if predicate[0] == 'u' else ''}", x, y)

    def _wide_compare(
        self, predicate: str, a: tuple[Operand, Operand], b: tuple[Operand, Operand]
    ) -> Operand:
        op = self.build.op
        if predicate in ("eq", "ne"):
            return op(predicate, op("ior", op("xor", a[0], b[0]), op("xor", a[1], b[1])), 0)
        high = self._word_compare(f"{predicate[:2]}t", 32, a[1], b[1])
        low = self._word_compare(f"u{predicate[1:]}", 32, a[0], b[0])
        same = op("and", op("eq", a[1], b[1]), low, boolean=True)
        return op("ior", high, same, boolean=True)

    def float_compare(self, predicate: str, a: Operand, b: Operand, finite: bool = False) -> Operand:
        """An LLVM comparison of singles."""
        op, negate = self.build.op, self.build.negate
        if predicate in ("true", "false"):
            return int(predicate == "true")
        unordered = predicate[0] == "u" and predicate != "uno"
        if unordered:
            opposite = {"ueq": "one", "ugt": "ole", "uge": "olt", "ult": "oge", "ule": "ogt", "une": "oeq"}
            return negate(self.float_compare(opposite[predicate], a, b, finite))
        if predicate in ("ord", "uno"):
            ordered = self._ordered(a, b)
            return ordered if predicate == "ord" else negate(ordered)
        if predicate == "one":
            less, more = (self.float_compare(p, a, b, finite) for p in ("olt", "ogt"))
            return op("ior", less, more, boolean=True)
        if predicate in ("ogt", "oge"):
            a, b, predicate = b, a, "olt" if predicate == "ogt" else "ole"
        native = {"oeq": "feq", "olt": "flt", "ole": "fle"}[predicate]
        if self.build.has(native):
            return op(native, a, b)
        zeros = op("eq", op("and", op("ior", a, b), 0x7FFFFFFF), 0)
        if predicate == "oeq":
            found = op("ior", op("eq", a, b), zeros, boolean=True)
        elif predicate == "olt":
            found = op("and", op("lt", self._key(a), self._key(b)), negate(zeros), boolean=True)
        else:
            found = op("ior", op("le", self._key(a), self._key(b)), zeros, boolean=True)
        return found if finite else op("and", found, self._ordered(a, b), boolean=True)

    def _key(self, a: Operand) -> Operand:
        """A number that is ordered as singles are."""
        op = self.build.op
        return op("xor", a, op("and", op("shr", a, 31), 0x7FFFFFFF))

    def _ordered(self, a: Operand, b: Operand) -> Operand:
        op = self.build.op
        numbers = [op("leu", op("and", x, 0x7FFFFFFF), 0x7F800000) for x in (a, b)]
        return op("and", *numbers, boolean=True)

    def _cast(self, i: Instruction) -> Parts:
        op = self.build.op
        source, to = i.operands[0].type.scalar, i.type.scalar
        value = i.operands[0]
        if i.opcode == "bitcast":
            return self._bitcast(i)
        if i.opcode in ("addrspacecast", "inttoptr", "freeze"):
            return self.low(value)
        if i.opcode == "ptrtoint" or i.opcode == "ptrtoaddr":
            return [part for x in self.low(value) for part in ((x, 0) if self._words(to, i) == 2 else (x,))]
        if i.opcode in ("sitofp", "uitofp", "fptosi", "fptoui"):
            return self._conversion(i)
        if not (isinstance(source, IntType) and isinstance(to, IntType)):
            raise self._refused(i, f"the instruction {i.opcode}")
        words = self._words(to, i)
        if i.opcode == "trunc":
            if to.bits == 1:
                return [op("and", x, 1, boolean=True) for x in self.low(value)]
            return list(self.low(value)) if words == 1 else self.get(value)
        made: Parts = []
        for x in self.low(value):
            if i.opcode == "zext":
                made += [self._extended(x, source.bits), 0][:words]
            else:
                low = self._sign_extended(x, source.bits)
                made += [low, op("shr", low, 31)] if words == 2 else [low]
        return made

    def _bitcast(self, i: Instruction) -> Parts:
        source, to = i.operands[0].type, i.type
        given = self.get(i.operands[0])
        sizes = [_bits_of(source.scalar), _bits_of(to.scalar)]
        if sizes[0] == sizes[1] or (set(sizes) == {32, 64} and len(given) * 32 == _whole_bits(source)):
            return given
        raise self._refused(i, f"a bitcast from {source} to {to}")

    def _conversion(self, i: Instruction) -> Parts:
        source, to = i.operands[0].type.scalar, i.type.scalar
        whole = source if isinstance(source, IntType) else to
        number = to if isinstance(source, IntType) else source
        assert isinstance(whole, IntType)
        if whole.bits > 32 or not isinstance(number, FloatType) or number.kind != "float":
            raise self._refused(i, f"conversions from {source} to {to}")
        signed = i.opcode in ("sitofp", "fptosi")
        if i.opcode.endswith("tofp"):
            extend = self._sign_extended if signed else self._extended
            name = "itof" if signed or whole.bits < 32 else "utof"
            return [self.build.op(name, extend(x, whole.bits)) for x in self.get(i.operands[0])]
        name = "ftoi" if signed or whole.bits < 32 else "ftou"
        return [self.build.op(name, x) for x in self.get(i.operands[0])]

    def _select(self, i: Instruction) -> Parts:
        condition, a, b = i.operands
        boolean = _is_bit(i.type)
        count = i.type.count if isinstance(i.type, VectorType) else 1
        conditions = self.get(condition) * (count if not condition.type.is_vector else 1)
        words = self._words(i.type.scalar, i)
        full = words == 2
        xs, ys = (self.get(v) if full else self.low(v) for v in (a, b))
        return [
            self.build.select(conditions[n // words], x, y, boolean)
            for n, (x, y) in enumerate(zip(xs, ys, strict=True))
        ]

    def _extract_element(self, i: Instruction) -> Parts:
        vector, index = i.operands
        assert isinstance(vector.type, VectorType)
        count, words = vector.type.count, self._words(i.type, i)
        parts = self.get(vector)
        stride = len(parts) // count
        number = constant_of(index)
        if number is not None:
            return parts[number * stride : number * stride + words] if number < count else [0] * words
        at, made = self.low(index)[0], parts[:words]
        for n in range(1, count):
            here = self.build.op("eq", at, n)
            made = [
                self.build.select(here, parts[n * stride + w], made[w], _is_bit(i.type)) for w in range(words)
            ]
        return made

    def _insert_element(self, i: Instruction) -> Parts:
        vector, element, index = i.operands
        assert isinstance(vector.type, VectorType)
        words = self._words(i.type.scalar, i)
        parts = list(self.get(vector) if words == 2 else self.low(vector))
        given = self.get(element) if words == 2 else self.low(element)
        number = constant_of(index)
        if number is not None:
            if number < vector.type.count:
                parts[number * words : (number + 1) * words] = given
            return parts
        at = self.low(index)[0]
        for n in range(vector.type.count):
            here = self.build.op("eq", at, n)
            for w in range(words):
                place = n * words + w
                parts[place] = self.build.select(here, given[w], parts[place], _is_bit(i.type))
        return parts

    def _shuffle(self, i: Instruction) -> Parts:
        a, b, mask = i.operands
        assert isinstance(a.type, VectorType)
        assert isinstance(i.type, VectorType)
        words = self._words(i.type.scalar, i)
        lanes = [*(self.get(a) if words == 2 else self.low(a)), *(self.get(b) if words == 2 else self.low(b))]
        made: Parts = []
        for n in range(i.type.count):
            element = mask.elements[n] if isinstance(mask, ConstantAggregate) else ConstantInt(IntType(32), 0)
            number = element.value if isinstance(element, ConstantInt) else 0
            made += lanes[number * words : (number + 1) * words]
        return made

    # ---- addresses and memory

    def _pointer(self, i: Instruction) -> Parts:
        if i.type.is_vector:
            raise self._refused(i, "vectors of pointers")
        return [self._address(i.operands, i.attributes["element_type"], i.block)]

    def _address(
        self, operands: "tuple[ir.Value, ...] | list[ir.Value]", element: Type, here: object
    ) -> Operand:
        """The sum of a pointer and indices, modulo 2^32, added up in the order of their loops' depths."""
        number, terms = 0, dict[Operand, int]()
        work: list[tuple[ir.Value, int]] = [(operands[0], 1)]
        for index, size in offset_terms(element, list(operands[1:])):
            if index is None:
                number += size
            else:
                work.append((index, size))
        while work:
            value, factor = work.pop()
            parts = self._summands(value, here) if len(terms) + len(work) < MOST_TERMS else None
            if parts is not None:
                for part, times in parts:
                    if isinstance(part, int):
                        number += part * times * factor
                    else:
                        work.append((part, times * factor))
                continue
            word = self._index_word(value)
            if isinstance(word, int):
                number += word * factor
            else:
                terms[word] = terms.get(word, 0) + factor
        return self._sum(terms, number & WORD)

    def _index_word(self, value: ir.Value) -> Operand:
        type = value.type
        low = self.low(value)[0]
        if isinstance(type, IntType) and type.bits < 32:
            return self._sign_extended(low, type.bits)
        return low

    def _summands(self, value: ir.Value, here: object) -> list[tuple[ir.Value | int, int]] | None:
        """What an index is the sum of, with factors; None if it is not taken apart."""
        if not isinstance(value, Instruction) or here is None:
            return None
        operands = value.operands
        bits = value.type.bits if isinstance(value.type, IntType) else 32
        if bits < 32:
            return None
        if value.opcode in ("zext", "sext", "trunc") and _bits_of(operands[0].type) >= 32:
            return [(operands[0], 1)]
        number = constant_of(operands[1]) if len(operands) == 2 else None
        near = isinstance(here, ir.Block) and self.depth.get(value.parent) == self.depth.get(here)
        match value.opcode:
            case "add" if number is not None:
                return [(operands[0], 1), (number, 1)]
            case "or" if number is not None and "disjoint" in value.flags:
                return [(operands[0], 1), (number, 1)]
            case "and" if number == WORD:
                return [(operands[0], 1)]
            case "getelementptr" if not value.type.is_vector and near:
                found: list[tuple[ir.Value | int, int]] = [(operands[0], 1)]
                for index, size in offset_terms(value.attributes["element_type"], operands[1:]):
                    found.append((size, 1) if index is None else (index, size))
                return found
            case "getelementptr" if not value.type.is_vector:
                terms = offset_terms(value.attributes["element_type"], operands[1:])
                if all(index is None for index, _ in terms):
                    return [(operands[0], 1), *((size, 1) for _, size in terms)]
            case "addrspacecast":
                return [(operands[0], 1)]
            case "add" if near:
                return [(operands[0], 1), (operands[1], 1)]
            case "or" if near and "disjoint" in value.flags:
                return [(operands[0], 1), (operands[1], 1)]
            case "sub" if near:
                return [(operands[0], 1), (operands[1], -1)]
            case "shl" if near and number is not None and 0 <= number < 32:
                return [(operands[0], 1 << number)]
            case "mul" if near and number is not None:
                return [(operands[0], number)]
        return None

    def _sum(self, terms: Mapping[Operand, int], number: int) -> Operand:
        op = self.build.op
        total: Operand = 0
        for value in sorted(terms, key=self._rank):
            factor = terms[value] & WORD
            if factor == WORD:
                total = op("sub", total, value)
            else:
                total = op("add", op("mul", value, factor), total)
        return op("add", total, number)

    def _rank(self, operand: Operand) -> tuple[int, int]:
        """Values of outer loops first."""
        assert isinstance(operand, Value)
        return (self.value_depth.get(operand, 0), operand.number)

    def _access(self, i: Instruction, pointer: ir.Value, offset: int, size: int) -> Access:
        """What is known of the memory that an instruction accesses."""
        stem, at = pointer, offset
        while isinstance(stem, Instruction):
            if stem.opcode == "getelementptr" and not stem.type.is_vector:
                terms = offset_terms(stem.attributes["element_type"], stem.operands[1:])
                if any(index is not None for index, _ in terms):
                    break
                at += sum(bytes for _, bytes in terms)
            elif stem.opcode != "addrspacecast":
                break
            stem = stem.operands[0]
        root = stem
        while isinstance(root, Instruction) and root.opcode in ("getelementptr", "addrspacecast"):
            root = root.operands[0]
        return Access(self._kind(root), stem, at, size, self._item(i))

    def _kind(self, root: ir.Value) -> str:
        if isinstance(root, Argument):
            return ("launch", "launch", "local")[root.index] if root.index < 3 else ""
        if isinstance(root, GlobalVariable):
            return "constant"
        if isinstance(root, Instruction) and root.opcode == "alloca":
            return f"private {self.get(root)[0]}"
        space = root.type.space if isinstance(root.type, PointerType) else 0
        return {1: "global", 2: "global", 3: "local"}.get(space, "")

    def _item(self, i: Instruction) -> tuple[int, int] | None:
        node = i.metadata.get(ITEM)
        if node is None:
            return None
        text = self.module.metadata[int(node[1:])]
        region, item = (int(word.removeprefix("i32 ")) for word in text.strip("!{}").split(", "))
        return region, item

    def _alloca(self, i: Instruction) -> Parts:
        count = constant_of(i.operands[0]) if i.operands else 1
        if count is None:
            raise self._refused(i, "private arrays of a size that is not known")
        type = i.attributes["allocated"]
        return [
            self._allocate(size_of(type) * count, max(alignment_of(type), int(i.attributes.get("align", 1))))
        ]

    def _pieces(self, type: Type, i: Instruction) -> list[tuple[int, int, int]]:
        """How a value lies in memory: offset and size of each of its words, and which word it is."""
        scalar = type.scalar
        count = type.count if isinstance(type, VectorType) else 1
        if isinstance(scalar, IntType) and scalar.bits not in (1, 8, 16, 32, 64):
            raise self._refused(i, f"numbers of type {scalar} in memory")
        self._words(scalar, None)
        if type.is_vector and isinstance(scalar, IntType) and scalar.bits < 8:
            raise self._refused(i, f"numbers of type {type} in memory")
        size = size_of(scalar) if not scalar.is_pointer else 4
        step = size_of(scalar)
        if size == 8:
            return [(n * 8 + 4 * w, 4, 2 * n + w) for n in range(count) for w in (0, 1)]
        return [(n * step, size, n) for n in range(count)]

    def _load(self, i: Instruction) -> Parts:
        pointer = i.operands[0]
        address, align = self.low(pointer)[0], int(i.attributes.get("align") or 1)
        made: Parts = []
        words = self._words(i.type.scalar, i)
        for offset, size, word in self._pieces(i.type, i):
            if _bits_of(i.type.scalar) == 64 and not i.type.scalar.is_pointer and words == 1 and word % 2:
                continue
            made.append(self._load_word(i, pointer, address, offset, size, _aligned(align, offset)))
        if _is_bit(i.type):
            made = [self.build.op("and", x, 1, boolean=True) for x in made]
        return made

    def _load_word(
        self, i: Instruction, pointer: ir.Value, address: Operand, offset: int, size: int, align: int
    ) -> Operand:
        step = min(size, align)
        total: Operand = 0
        for at in range(0, size, step):
            access = self._access(i, pointer, offset + at, step)
            part = self.build.load(step, self.build.op("add", address, offset + at), access)
            total = part if not at else self.build.op("ior", total, self.build.op("shl", part, 8 * at))
        return total

    def _store(self, i: Instruction) -> None:
        value, pointer = i.operands
        address, align = self.low(pointer)[0], int(i.attributes.get("align") or 1)
        parts = self.get(value)
        for offset, size, word in self._pieces(value.type, i):
            given, step = parts[word], min(size, _aligned(align, offset))
            for at in range(0, size, step):
                access = self._access(i, pointer, offset + at, step)
                place = self.build.op("add", address, offset + at)
                self.build.store(step, place, self.build.op("shru", given, 8 * at), access)
        if value.type.scalar.is_pointer:
            for n in range(len(parts)):
                place = self.build.op("add", address, 8 * n + 4)
                self.build.store(4, place, 0, self._access(i, pointer, 8 * n + 4, 4))

    def _atomic(self, i: Instruction) -> Parts:
        """An atomic update: there is one core, which no other interrupts."""
        pointer, operand = i.operands
        self._whole_word(i, operand.type)
        name = i.attributes["operation"]
        access = self._access(i, pointer, 0, 4)
        access = Access(access.kind, access.stem, access.offset, 4)
        address, y = self.get(pointer)[0], self.get(operand)[0]
        old = self.build.load(4, address, access)
        op = self.build.op
        names = {"add": "add", "sub": "sub", "and": "and", "or": "ior", "xor": "xor", "fadd": "fadd",
                 "fsub": "fsub", "max": "max", "min": "min", "umax": "maxu", "umin": "minu"}  # fmt: skip
        if name == "xchg":
            new = y
        elif name in names:
            new = op(names[name], old, y)
        else:
            raise self._refused(i, f"the atomic operation {name}")
        self.build.store(4, address, new, access)
        return [old]

    def _exchange(self, i: Instruction) -> Parts:
        pointer, expected, new = i.operands
        self._whole_word(i, expected.type)
        access = self._access(i, pointer, 0, 4)
        access = Access(access.kind, access.stem, access.offset, 4)
        address = self.get(pointer)[0]
        old = self.build.load(4, address, access)
        same = self.build.op("eq", old, self.get(expected)[0])
        self.build.store(4, address, self.build.select(same, self.get(new)[0], old), access)
        return [old, same]

    def _whole_word(self, i: Instruction, type: Type) -> None:
        if _bits_of(type) != 32:
            raise self._refused(i, f"atomic operations of type {type}")

    def _extract_value(self, i: Instruction) -> Parts:
        source = i.operands[0]
        if isinstance(source, Instruction) and source.opcode == "cmpxchg":
            return [self.get(source)[i.attributes["indices"][0]]]
        raise self._refused(i, "structures as values")

    # ---- calls

    def _call(self, i: Instruction) -> Parts | None:
        callee = i.called_function
        name = (callee.name or "") if callee is not None else ""
        if name.startswith(_IGNORED):
            return None
        if not name.startswith("llvm."):
            raise self._refused(i, f"calls of {name or 'functions by their address'}")
        word = name.removeprefix("llvm.").split(".")
        a = i.arguments
        if word[0] in ("memcpy", "memmove", "memset"):
            self._copy(i, word[0])
            return None
        if word[0] == "vector" and word[1] == "reduce":
            return self._reduce(i, word[2])
        scalar = i.type.scalar
        self._words(scalar, i)
        if _bits_of(scalar) == 64:
            raise self._refused(i, f"{name}")
        bits = _bits_of(scalar)
        count = i.type.count if isinstance(i.type, VectorType) else 1
        columns = [self.get(x) if x.type.is_vector else self.get(x)[:1] * count for x in a]
        return [self._intrinsic(i, word[0], bits, lane) for lane in zip(*columns, strict=True)]

    def _intrinsic(self, i: Instruction, name: str, bits: int, x: tuple[Operand, ...]) -> Operand:
        op, select = self.build.op, self.build.select
        match name:
            case "fmuladd":
                return op("fadd", op("fmul", x[0], x[1]), x[2])
            case "fabs":
                return op("and", x[0], 0x7FFFFFFF)
            case "copysign":
                return op("ior", op("and", x[0], 0x7FFFFFFF), op("and", x[1], 0x80000000))
            case "sqrt":
                return op("fsqrt", x[0])
            case "smin" | "smax" | "umin" | "umax":
                extend = self._sign_extended if name[0] == "s" else self._extended
                a, b = extend(x[0], bits), extend(x[1], bits)
                if self.build.has(_MIN_MAX[name]):
                    return op(_MIN_MAX[name], a, b)
                less = op("lt" if name[0] == "s" else "ltu", a, b)
                return select(less, a, b) if name.endswith("min") else select(less, b, a)
            case "abs":
                a = self._sign_extended(x[0], bits)
                sign = op("shr", a, 31)
                return op("sub", op("xor", a, sign), sign)
            case "fshl" | "fshr" if bits == 32:
                by = op("and", x[2], 31)
                back = op("xor", by, 31)
                if name == "fshl":
                    return op("ior", op("shl", x[0], by), op("shru", op("shru", x[1], 1), back))
                return op("ior", op("shru", x[1], by), op("shl", op("shl", x[0], 1), back))
            case "bswap" if bits == 32:
                a = x[0]
                outer = op("ior", op("shl", a, 24), op("shru", a, 24))
                inner = op("ior", op("shl", op("and", a, 0xFF00), 8), op("and", op("shru", a, 8), 0xFF00))
                return op("ior", outer, inner)
            case "ctpop":
                return op("popcount", self._extended(x[0], bits))
            case "ctlz":
                return op("sub", op("clz", self._extended(x[0], bits)), 32 - bits)
            case "minnum" | "maxnum":
                less = self.float_compare("olt", x[0], x[1])
                first = op("ior", less, self.float_compare("uno", x[1], x[1]), boolean=True)
                if name == "maxnum":
                    more = self.float_compare("ogt", x[0], x[1])
                    first = op("ior", more, self.float_compare("uno", x[1], x[1]), boolean=True)
                return select(first, x[0], x[1])
        raise self._refused(i, f"llvm.{name}")

    def _reduce(self, i: Instruction, name: str) -> Parts:
        names = {"add": "add", "mul": "mul", "and": "and", "or": "ior", "xor": "xor", **_MIN_MAX}
        values = self.get(i.arguments[-1])
        if name not in names or _bits_of(i.type) not in (1, 32):
            raise self._refused(i, f"llvm.vector.reduce.{name}")
        boolean = _is_bit(i.type)
        total = values[0]
        for value in values[1:]:
            total = self.build.op(names[name], total, value, boolean=boolean)
        return [total]

    def _copy(self, i: Instruction, name: str) -> None:
        to, source, length = i.arguments[:3]
        count = constant_of(length)
        if count is None or count > LARGEST_COPY:
            raise self._refused(i, f"llvm.{name} of more than {LARGEST_COPY} bytes")
        address = self.get(to)[0]
        pieces = [(at, 1) for at in range(count)]
        align = min(_align_of(i, n) for n in ((0,) if name == "memset" else (0, 1)))
        if align >= 4:
            pieces = [(at, 4) for at in range(0, count // 4 * 4, 4)] + [
                (at, 1) for at in range(count // 4 * 4, count)
            ]
        values: list[Operand] = []
        for at, size in pieces:
            if name == "memset":
                byte = self.build.op("and", self.low(source)[0], 255)
                values.append(byte if size == 1 else self.build.op("mul", byte, 0x01010101))
            else:
                place = self.build.op("add", self.get(source)[0], at)
                values.append(self.build.load(size, place, self._access(i, source, at, size)))
        for (at, size), value in zip(pieces, values, strict=True):
            self.build.store(size, self.build.op("add", address, at), value, self._access(i, to, at, size))

    # ---- control

    def _branch(self, i: Instruction) -> None:
        block = self.build.block
        assert block is not None
        targets = [self.blocks[target] for target in i.successors()]
        if len(targets) == 1 or targets[0] is targets[1]:
            block.then = targets[0]
            return
        condition = self.get(i.operands[0])[0]
        if isinstance(condition, int):
            block.then = targets[0] if condition & 1 else targets[1]
            return
        block.condition, block.then, block.other = condition, targets[0], targets[1]

    def _return(self, i: Instruction) -> None:
        """The end of the program: the block has no successor."""


def _needs_high(function: Function) -> set[ir.Value]:
    """The 64-bit values of which something needs the high word."""
    found: set[ir.Value] = set()
    work: list[ir.Value] = []

    def need(value: ir.Value) -> None:
        if value not in found and isinstance(value.type.scalar, IntType) and value.type.scalar.bits > 32:
            found.add(value)
            work.append(value)

    for i in function.instructions():
        if i.opcode in (*_SAME_HIGH, "trunc", "getelementptr", "inttoptr", "shufflevector", "extractelement"):
            continue
        for operand in i.operands:
            need(operand)
    while work:
        value = work.pop()
        if not isinstance(value, Instruction):
            continue
        if value.opcode in _SAME_HIGH or value.opcode in ("shufflevector", "extractelement"):
            mask = constant_of(value.operands[1]) if value.opcode == "and" else None
            if mask is not None and 0 <= mask <= WORD:
                continue
            for operand in value.operands:
                need(operand)
    return found


def _is_bit(type: Type) -> bool:
    scalar = type.scalar
    return isinstance(scalar, IntType) and scalar.bits == 1


def _bits_of(type: Type) -> int:
    """The bits of a number or pointer; those of a pointer are a word's."""
    scalar = type.scalar
    return scalar.bits if isinstance(scalar, IntType | FloatType) else 32


def _whole_bits(type: Type) -> int:
    return _bits_of(type) * (type.count if isinstance(type, VectorType) else 1)


def _aligned(align: int, offset: int) -> int:
    """The alignment of what lies behind an aligned address."""
    return min(align, offset & -offset) if offset else align


def _align_of(i: Instruction, argument: int) -> int:
    attributes = i.attributes.get("argument_attributes")
    for word in attributes[argument] if attributes else ():
        if str(word).startswith("align "):
            return int(str(word).split()[1])
    return 1


_Handler = Callable[[_Lowering, Instruction], Parts | None]
_HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr"), _Lowering._binary),
    **dict.fromkeys((*_DIVISIONS, "fadd", "fsub", "fmul", "fdiv", "frem"), _Lowering._binary),
    "fneg": _Lowering._negated,
    "icmp": _Lowering._compare,
    "fcmp": _Lowering._compare,
    **dict.fromkeys(
        ("trunc", "zext", "sext", "bitcast", "ptrtoint", "ptrtoaddr", "inttoptr"), _Lowering._cast
    ),
    **dict.fromkeys(("addrspacecast", "sitofp", "uitofp", "fptosi", "fptoui"), _Lowering._cast),
    **dict.fromkeys(("fpext", "fptrunc"), _Lowering._cast),
    "freeze": lambda self, i: self.get(i.operands[0]) if i in self.needs_high else self.low(i.operands[0]),
    "select": _Lowering._select,
    "extractelement": _Lowering._extract_element,
    "insertelement": _Lowering._insert_element,
    "shufflevector": _Lowering._shuffle,
    "getelementptr": _Lowering._pointer,
    "alloca": _Lowering._alloca,
    "load": _Lowering._load,
    "store": _Lowering._store,
    "atomicrmw": _Lowering._atomic,
    "cmpxchg": _Lowering._exchange,
    "fence": lambda self, i: None,
    "extractvalue": _Lowering._extract_value,
    "call": _Lowering._call,
    "br": _Lowering._branch,
    "ret": _Lowering._return,
    "unreachable": _Lowering._return,
}
