"""Lower the optimized work-group function to 32-bit machine operations.

Pointers are words: device memory has less than 4 GiB. A 64-bit integer is two words; the high word is
computed only if it is used, so indices need none. The upper bits of narrower integers are undefined. Vectors
are scalarized. Booleans are one-bit values.

Addresses are sums modulo 2^32, so index computations of any width are reassociated, in an order in which
accesses to adjacent elements share most of the sum.

An operation that the machine does not support is refused, unless it is short in others: float comparisons use
integer operations if no unit compares floats.
"""

from collections.abc import Callable

from weft.ir import Block as IrBlock
from weft.ir import Function, Instruction
from weft.ir.dominators import reverse_post_order
from weft.ir.metadata import loop_properties, node_references
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
from .lower_intrinsics import SIGN, Intrinsics
from .lower_values import MemoryMap, Parts, bits_of, is_bit
from .machine import Machine
from .operations import WORD


def lower(function: Function, machine: Machine, places: MemoryMap) -> tuple[Code, dict[int, bytes]]:
    """Return the code of a work-group function and its constants by address.

    Raise Refused if the machine cannot compute the function.
    """
    return _Lowering(function, machine, places).run()


class _Lowering(Intrinsics):
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
        """Record for the latches of work-item loops in which regions the iterations are independent."""
        regions: dict[str, set[int]] = {}
        for instruction in self.function.instructions():
            group, item = instruction.metadata.get("llvm.access.group"), self._item(instruction)
            if group is not None and item is not None:
                regions.setdefault(group, set()).add(item[0])
        for block, end in self.ends.items():
            groups = parallel_access_groups(block)
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
                continue  # an unreachable predecessor
            operands = self.get(value) if len(self.get(value)) == len(results) else self.low(value)
            for target, operand in zip(phis, operands, strict=True):
                target.incoming[self.ends[source]] = operand
        block.phis += phis

    # ---- instructions

    def _instruction(self, instruction: Instruction) -> None:
        handler = _HANDLERS.get(instruction.opcode)
        if handler is None:
            raise self._refused(instruction, f"the instruction {instruction.opcode}")
        try:
            parts = handler(self, instruction)
        except Refused as error:
            if "(`" in str(error):
                raise
            raise Refused(f"{error} (`{print_instruction(instruction).strip()}`)") from None
        if parts is not None:
            self._record(instruction, parts)

    def _binary(self, i: Instruction) -> Parts:
        scalar = i.type.scalar
        a, b = i.operands
        if isinstance(scalar, FloatType):
            name = BINARY.get(i.opcode)
            if self._words(scalar, i) != 1 or name is None:
                raise self._refused(i, f"the instruction {i.opcode}")
            return [self.build.op(name, x, y) for x, y in zip(self.get(a), self.get(b), strict=True)]
        assert isinstance(scalar, IntType)
        bits, words = scalar.bits, self._words(scalar, i)
        count = i.type.count if isinstance(i.type, VectorType) else 1
        parts: Parts = []
        for n in range(count):
            if words == 2:
                parts += self._wide_binary(i, n)
            elif bits > 32 and i.opcode in ("lshr", "ashr"):
                parts.append(self._shift_right(i, n)[0])
            elif bits > 32 and i.opcode in DIVISIONS:
                raise self._refused(i, "quotients of 64 bits")
            elif bits > 32 and i.opcode == "shl":
                parts.append(self._low_shift_left(self.low(a)[n], self.low(b)[n]))
            else:
                parts.append(self._word_binary(i.opcode, min(bits, 32), self.low(a)[n], self.low(b)[n]))
        return parts

    def _wide_binary(self, i: Instruction, n: int) -> Parts:
        """Return both words of a 64-bit operation."""
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
                return list(self._wide_add((a, ah), (b, bh)))
            case "sub":
                return list(self._wide_sub((a, ah), (b, bh)))
            case "mul":
                cross = op("add", op("mul", a, bh), op("mul", ah, b))
                return [op("mul", a, b), op("add", self._high_product(a, b), cross)]
        raise self._refused(i, f"the instruction {i.opcode} of 64 bits")

    def _shift_right(self, i: Instruction, n: int) -> Pair:
        by, signed = self.low(i.operands[1])[n], i.opcode == "ashr"
        return self._wide_shift_right(self.extended_pair(i.operands[0], n, signed), by, signed)

    def _negated(self, i: Instruction) -> Parts:
        words = self._words(i.type.scalar, i)
        parts = self.get(i.operands[0])
        signs = range(words - 1, len(parts), words)
        return [self.build.op("xor", x, SIGN) if n in signs else x for n, x in enumerate(parts)]

    def _compare(self, i: Instruction) -> Parts:
        a, b = i.operands
        scalar = a.type.scalar
        predicate = i.attributes["predicate"]
        count = a.type.count if isinstance(a.type, VectorType) else 1
        if isinstance(scalar, FloatType):
            if self._words(scalar, i) != 1:
                raise self._refused(i, f"comparisons of type {scalar}")
            finite = "nnan" in i.flags or "fast" in i.flags
            pairs = zip(self.get(a), self.get(b), strict=True)
            return [self.float_compare(predicate, x, y, finite) for x, y in pairs]
        if isinstance(scalar, IntType) and scalar.bits > 32:
            self._words(scalar, i)
            signed = predicate[0] == "s"
            wide = [[self.extended_pair(x, n, signed) for x in (a, b)] for n in range(count)]
            return [self._wide_compare(predicate, *pair) for pair in wide]
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
                return [self._bit_of(x) for x in self.low(value)]
            return list(self.low(value)) if words == 1 else self.get(value)
        parts: Parts = []
        if source.bits > 32:
            for n in range(i.type.count if isinstance(i.type, VectorType) else 1):
                parts += self.extended_pair(value, n, i.opcode == "sext")[:words]
            return parts
        for x in self.low(value):
            if i.opcode == "zext":
                parts += [self._extended(x, source.bits), 0][:words]
            else:
                low = self._sign_extended(x, source.bits)
                parts += [low, op("shr", low, 31)] if words == 2 else [low]
        return parts

    def _bitcast(self, i: Instruction) -> Parts:
        source, to = i.operands[0].type, i.type
        words = self.get(i.operands[0])
        before, after = bits_of(source.scalar), bits_of(to.scalar)
        if before == after or (before % 32 == 0 and after % 32 == 0):
            return words
        # Split the source into words or smaller pieces, and assemble the result from them.
        size = min(before, after, 32)
        if before % size or after % size or (to.is_vector and 32 < after < 64):
            raise self._refused(i, f"a bitcast from {source} to {to}")
        pieces: list[Operand] = []
        for word in words:
            for at in range(0, min(before, 32), size):
                pieces.append(self._extended_part(self.build.op("shru", word, at), size))
        del pieces[_whole_bits(source) // size :]
        parts: Parts = []
        per_word = min(after, 32) // size
        for first in range(0, len(pieces), per_word):
            total: Operand = 0
            for n, piece in enumerate(pieces[first : first + per_word]):
                total = self.build.op("ior", total, self.build.op("shl", piece, n * size))
            parts.append(self._bit_of(total) if after == 1 else total)
        return parts

    def _bit_of(self, word: Operand) -> Operand:
        return self.build.op("and", word, 1, boolean=True)

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
        at, selected = self.low(index)[0], parts[:words]
        for n in range(1, count):
            here = self.build.op("eq", at, n)
            selected = [
                self.build.select(here, parts[n * stride + w], selected[w], is_bit(i.type))
                for w in range(words)
            ]
        return selected

    def _insert_element(self, i: Instruction) -> Parts:
        vector, element, index = i.operands
        assert isinstance(vector.type, VectorType)
        words = self._words(i.type.scalar, i)
        parts = list(self.get(vector) if words == 2 else self.low(vector))
        inserted = self.get(element) if words == 2 else self.low(element)
        number = constant_of(index)
        if number is not None:
            if number < vector.type.count:
                parts[number * words : (number + 1) * words] = inserted
            return parts
        at = self.low(index)[0]
        for n in range(vector.type.count):
            here = self.build.op("eq", at, n)
            for w in range(words):
                place = n * words + w
                parts[place] = self.build.select(here, inserted[w], parts[place], is_bit(i.type))
        return parts

    def _shuffle(self, i: Instruction) -> Parts:
        a, b, mask = i.operands
        assert isinstance(a.type, VectorType)
        assert isinstance(i.type, VectorType)
        words = self._words(i.type.scalar, i)
        lanes = [*(self.get(a) if words == 2 else self.low(a)), *(self.get(b) if words == 2 else self.low(b))]
        selected: Parts = []
        for n in range(i.type.count):
            element = mask.elements[n] if isinstance(mask, ConstantAggregate) else ConstantInt(IntType(32), 0)
            number = element.value if isinstance(element, ConstantInt) else 0
            selected += lanes[number * words : (number + 1) * words]
        return selected

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
        """End the program: the block has no successor."""


def parallel_access_groups(latch: IrBlock) -> list[str]:
    """Return the access groups in which iterations of the loop with this latch are independent."""
    facts = loop_properties(latch)
    return [g for fact in facts if "llvm.loop.parallel_accesses" in fact for g in node_references(fact)]


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
    "freeze": lambda self, i: (
        self.get(i.operands[0]) if self._words(i.type.scalar, i) == 2 else self.low(i.operands[0])
    ),
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
