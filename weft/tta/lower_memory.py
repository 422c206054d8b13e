"""Lower addresses, loads and stores."""

from weft import ir
from weft.ir import Argument, GlobalVariable, Instruction
from weft.ir.addresses import offset_terms
from weft.ir.metadata import node_integers
from weft.ir.types import (
    IntType,
    PointerType,
    Type,
    VectorType,
    alignment_of,
    size_of,
)
from weft.ir.values import (
    constant_of,
)

from .code import Access, Block, Operand, Phi, Value
from .lower_values import Parts, Values, bits_of, is_bit
from .operations import WORD

# The metadata with which `unroll.py` tags accesses: region and work-item.
ITEM = "weft.item"
# Longer copies become loops.
LARGEST_COPY = 256
# The first region number of copy loops.
FIRST_COPY = 1 << 18


class Memory(Values):
    """Emits memory accesses."""

    def _pointer(self, i: Instruction) -> Parts:
        if i.type.is_vector:
            raise self._refused(i, "vectors of pointers")
        return [self._address(i.operands, i.attributes["element_type"], i.block)]

    def _access(self, i: Instruction, pointer: ir.Value, offset: int, size: int) -> Access:
        """Describe the memory that an instruction accesses."""
        if i.is_ordered:
            return Access("", None, 0, size)  # ordered with respect to all other accesses
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
        region, item = node_integers(self.module, node)
        return region, item

    def _alloca(self, i: Instruction) -> Parts:
        count = constant_of(i.operands[0]) if i.operands else 1
        if count is None:
            raise self._refused(i, "private arrays of unknown size")
        type = i.attributes["allocated"]
        return [
            self._allocate(size_of(type) * count, max(alignment_of(type), int(i.attributes.get("align", 1))))
        ]

    def _pieces(self, type: Type, i: Instruction) -> list[tuple[int, int, int]]:
        """Return the words of a value in memory: offset, size and index of each."""
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
        parts: Parts = []
        words = self._words(i.type.scalar, i)
        for offset, size, word in self._pieces(i.type, i):
            if bits_of(i.type.scalar) == 64 and not i.type.scalar.is_pointer and words == 1 and word % 2:
                continue
            parts.append(self._load_word(i, pointer, address, offset, size, _aligned(align, offset)))
        if is_bit(i.type):
            parts = [self.build.op("and", x, 1, boolean=True) for x in parts]
        return parts

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
            source, step = parts[word], min(size, _aligned(align, offset))
            for at in range(0, size, step):
                access = self._access(i, pointer, offset + at, step)
                place = self.build.op("add", address, offset + at)
                self.build.store(step, place, self.build.op("shru", source, 8 * at), access)
        if value.type.scalar.is_pointer:
            for n in range(len(parts)):
                place = self.build.op("add", address, 8 * n + 4)
                self.build.store(4, place, 0, self._access(i, pointer, 8 * n + 4, 4))

    def _atomic(self, i: Instruction) -> Parts:
        """Lower an atomic update to a load and a store: there is one core and no interrupts."""
        pointer, operand = i.operands
        self._whole_word(i, operand.type)
        name = i.attributes["operation"]
        access = Access("", None, 0, 4)
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
        access = Access("", None, 0, 4)
        address = self.get(pointer)[0]
        old = self.build.load(4, address, access)
        same = self.build.op("eq", old, self.get(expected)[0])
        self.build.store(4, address, self.build.select(same, self.get(new)[0], old), access)
        return [old, same]

    def _whole_word(self, i: Instruction, type: Type) -> None:
        if bits_of(type) != 32:
            raise self._refused(i, f"atomic operations of type {type}")

    def _extract_value(self, i: Instruction) -> Parts:
        source = i.operands[0]
        if isinstance(source, Instruction) and source.opcode == "cmpxchg":
            return [self.get(source)[i.attributes["indices"][0]]]
        raise self._refused(i, "structures as values")

    def _copy(self, i: Instruction, name: str) -> None:
        length = i.arguments[2]
        count = constant_of(length)
        align = min(_align_of(i, n) for n in ((0,) if name == "memset" else (0, 1)))
        size = 4 if align >= 4 and count is not None else 1
        if count is not None and count <= LARGEST_COPY:
            words = count // size * size
            pieces = [(at, size) for at in range(0, words, size)] + [(at, 1) for at in range(words, count)]
            self._copy_pieces(i, name, 0, pieces, None)
            return
        if count is None:
            total: Operand = self.low(length)[0]
            self._copy_loop(i, name, total, 1)
            return
        # Copy several words per iteration. Copy the remainder first, with its own loads and stores.
        step = 4 * size
        remainder = count % step
        if name != "memmove":
            self._copy_pieces(i, name, count - remainder, [(at, 1) for at in range(remainder)], None)
            self._copy_loop(i, name, count - remainder, size, 4)
        else:
            self._copy_loop(i, name, count, size if count % size == 0 else 1)

    def _copy_pieces(
        self,
        i: Instruction,
        name: str,
        first: Operand,
        pieces: list[tuple[int, int]],
        item: tuple[int, int] | None,
    ) -> None:
        """Copy pieces, or set them to a byte; all loads precede the first store."""
        to, source = i.arguments[:2]
        op = self.build.op

        def access(pointer: ir.Value, at: int, size: int) -> Access:
            if isinstance(first, int):
                return self._access(i, pointer, first + at, size)
            return Access(self._access(i, pointer, 0, 1).kind, None, 0, size, item)

        values: list[Operand] = []
        for at, size in pieces:
            if name == "memset":
                byte = op("and", self.low(source)[0], 255)
                values.append(byte if size == 1 else op("mul", byte, 0x01010101))
            else:
                place = op("add", op("add", self.low(source)[0], first), at)
                values.append(self.build.load(size, place, access(source, at, size)))
        for (at, size), value in zip(pieces, values, strict=True):
            place = op("add", op("add", self.low(to)[0], first), at)
            self.build.store(size, place, value, access(to, at, size))

    def _copy_loop(self, i: Instruction, name: str, count: Operand, size: int, pieces: int = 1) -> None:
        """Copy `count` bytes in a loop: `pieces` of `size` bytes per iteration, which must divide `count`."""
        op, before = self.build.op, self.build.block
        assert before is not None
        step: Operand = size * pieces
        last = op("sub", count, step)
        start: Operand = 0
        if name == "memmove":
            # Copy backwards if the destination starts within the source.
            back = op("ltu", op("sub", self.low(i.arguments[0])[0], self.low(i.arguments[1])[0]), count)
            start = self.build.select(back, last, 0)
            last = self.build.select(back, 0, last)
            step = self.build.select(back, -size & WORD, size)
        number = len(self.code.blocks)
        body, after = Block(f"{before.name}.{name}{number}"), Block(f"{before.name}.{name}{number}.end")
        place = self.code.blocks.index(before) + 1
        self.code.blocks[place:place] = [body, after]
        before.then = body
        if not isinstance(count, int):
            before.condition, before.other = self._bit(op("ne", count, 0)), after
        at = self.code.new_value()
        self.build.at(body)
        # Only memmove may overlap; iterations of other copies are independent.
        region = FIRST_COPY + number
        item = (region, 0) if name != "memmove" else None
        body.parallel = frozenset({region}) if item is not None else frozenset()
        self._copy_pieces(i, name, at, [(n * size, size) for n in range(pieces)], item)
        body.phis = [Phi(at, {before: start, body: op("add", at, step)})]
        body.condition = self._bit(op("ne", at, last))
        body.then, body.other = body, after
        self.build.at(after)

    def _bit(self, operand: Operand) -> Value:
        assert isinstance(operand, Value)
        return operand


def _aligned(align: int, offset: int) -> int:
    """Return the alignment of an offset from an aligned address."""
    return min(align, offset & -offset) if offset else align


def _align_of(i: Instruction, argument: int) -> int:
    attributes = i.attributes.get("argument_attributes")
    for word in attributes[argument] if attributes else ():
        if str(word).startswith("align "):
            return int(str(word).split()[1])
    return 1
