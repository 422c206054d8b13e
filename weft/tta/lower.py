"""From the work-group function, as LLVM leaves it, to operations of a machine of 32 bits.

Pointers are words: device memory has less than 4 GiB. A 64-bit integer is two words, of which the high one is
computed only where something depends on it: indices need none. Narrower integers are words whose other bits
mean nothing. Vectors are their elements. Bits are compared, joined and moved as such.

Addresses are sums modulo 2^32, so index computations are taken apart, whatever widths they were written in,
and added up anew in an order in which accesses to neighbouring elements share most of their sum.

What the machine has no operation for is refused, unless it is short in others: comparisons of floats are
done with integers where no unit compares floats.
"""

import re
from collections.abc import Callable

from weft.ir import Block as IrBlock
from weft.ir import Function, Instruction, Module
from weft.ir.dominators import reverse_post_order
from weft.ir.printer import print_instruction
from weft.ir.types import (
    FloatType,
    IntType,
    Type,
    VectorType,
)
from weft.ir.values import (
    ConstantAggregate,
    ConstantInt,
    constant_of,
)

from .arithmetic import BINARY, DIVISIONS, Pair
from .code import Block, Code, Operand, Phi, Value
from .errors import Refused
from .lower_memory import Memory
from .lower_values import MemoryMap, Parts, bits_of, is_bit
from .machine import Machine
from .operations import WORD

_IGNORED = ("llvm.assume", "llvm.lifetime.", "llvm.experimental.noalias.scope.decl", "llvm.dbg.")
_MIN_MAX = {"smin": "min", "smax": "max", "umin": "minu", "umax": "maxu"}


def lower(function: Function, machine: Machine, places: MemoryMap) -> tuple[Code, dict[int, bytes]]:
    """The code of a work-group function, and the constants that it needs in memory, by their addresses.

    Raises Refused if the machine cannot do what the function does.
    """
    return _Lowering(function, machine, places).run()


class _Lowering(Memory):
    def run(self) -> tuple[Code, dict[int, bytes]]:
        order = reverse_post_order(self.function)
        for block in order:
            self.blocks[block] = Block(block.name or f"block{len(self.blocks)}")
            self.code.blocks.append(self.blocks[block])
        self._parameters()
        for block in order:
            for phi in block.phis():
                self._record(phi, [self.code.new_value(is_bit(phi.type)) for _ in self._new_parts(phi)])
        for block in order:
            self.build.at(self.blocks[block])
            for instruction in block.instructions[block.first_non_phi :]:
                self._instruction(instruction)
            assert self.build.block is not None
            self.ends[block] = self.build.block
        for block in order:
            for phi in block.phis():
                self._phi(phi, self.blocks[block])
        self._mark_parallel_loops()
        self.code.spill_base = -(-self.memory // 16) * 16
        return self.code, self.data

    def _mark_parallel_loops(self) -> None:
        """Notes of the blocks that end work-item loops in which regions their iterations are independent."""
        regions: dict[str, set[int]] = {}
        for instruction in self.function.instructions():
            group, item = instruction.metadata.get("llvm.access.group"), self._item(instruction)
            if group is not None and item is not None:
                regions.setdefault(group, set()).add(item[0])
        for block, end in self.ends.items():
            groups = parallel_access_groups(block, self.module)
            end.parallel = frozenset(region for group in groups for region in regions.get(group, ()))

    # ---- values

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

    def _binary(self, i: Instruction) -> Parts:
        scalar = i.type.scalar
        a, b = i.operands
        if isinstance(scalar, FloatType):
            self._words(scalar, i)
            name = BINARY.get(i.opcode)
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
                made.append(self._shift_right(i, n)[0])
            elif bits > 32 and i.opcode in DIVISIONS:
                raise self._refused(i, "quotients of 64 bits")
            elif bits > 32 and i.opcode == "shl":
                made.append(self._low_shift_left(self.low(a)[n], self.low(b)[n]))
            else:
                made.append(self._word_binary(i.opcode, min(bits, 32), self.low(a)[n], self.low(b)[n]))
        return made

    def _wide_binary(self, i: Instruction, n: int) -> Parts:
        """Both words of an operation on 64 bits."""
        op = self.build.op
        if i.opcode in ("lshr", "ashr"):
            return list(self._shift_right(i, n))
        if i.opcode == "shl":
            return list(self._wide_shift_left(self.pair(i.operands[0], n), self.low(i.operands[1])[n]))
        if i.opcode == "and":
            mask = constant_of(i.operands[1])
            if mask is not None and 0 <= mask <= WORD:
                return [op("and", self.low(i.operands[0])[n], mask), 0]
        if i.opcode in DIVISIONS:
            raise self._refused(i, "quotients of 64 bits")
        (a, ah), (b, bh) = self.pair(i.operands[0], n), self.pair(i.operands[1], n)
        match i.opcode:
            case "and" | "or" | "xor":
                name = BINARY[i.opcode]
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

    def _shift_right(self, i: Instruction, n: int) -> Pair:
        by = self.low(i.operands[1])[n]
        return self._wide_shift_right(self.pair(i.operands[0], n), by, i.opcode == "ashr")

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
        sizes = [bits_of(source.scalar), bits_of(to.scalar)]
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
        boolean = is_bit(i.type)
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
                self.build.select(here, parts[n * stride + w], made[w], is_bit(i.type)) for w in range(words)
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
                parts[place] = self.build.select(here, given[w], parts[place], is_bit(i.type))
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
        if bits_of(scalar) == 64:
            raise self._refused(i, f"{name}")
        bits = bits_of(scalar)
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
        if name not in names or bits_of(i.type) not in (1, 32):
            raise self._refused(i, f"llvm.vector.reduce.{name}")
        boolean = is_bit(i.type)
        total = values[0]
        for value in values[1:]:
            total = self.build.op(names[name], total, value, boolean=boolean)
        return [total]

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


def parallel_access_groups(latch: IrBlock, module: Module) -> list[str]:
    """The groups of accesses that iterations of the loop that a block ends do not share memory with."""
    node = latch.terminator.metadata.get("llvm.loop")
    if node is None:
        return []
    facts = [module.metadata[int(n)] for n in re.findall(r"!(\d+)", module.metadata[int(node[1:])])]
    return [
        group
        for fact in facts
        if "llvm.loop.parallel_accesses" in fact
        for group in re.findall(r"!\d+", fact)
    ]


def _whole_bits(type: Type) -> int:
    return bits_of(type) * (type.count if isinstance(type, VectorType) else 1)


_Handler = Callable[[_Lowering, Instruction], Parts | None]
_HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr"), _Lowering._binary),
    **dict.fromkeys((*DIVISIONS, "fadd", "fsub", "fmul", "fdiv", "frem"), _Lowering._binary),
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
