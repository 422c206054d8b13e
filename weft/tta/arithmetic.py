"""Arithmetic on words and on pairs of words: integers of all widths, and comparisons of floats."""

from .builder import Builder
from .code import Operand

BINARY = {
    "add": "add", "sub": "sub", "mul": "mul", "and": "and", "or": "ior", "xor": "xor", "fadd": "fadd",
    "fsub": "fsub", "fmul": "fmul", "fdiv": "fdiv",
}  # fmt: skip
DIVISIONS = {"udiv": "divu", "urem": "remu", "sdiv": "div", "srem": "rem"}

Pair = tuple[Operand, Operand]
"""A number of 64 bits: its low word and its high one."""


class Arithmetic:
    """Emits the machine's operations for LLVM's arithmetic."""

    def __init__(self, build: Builder) -> None:
        self.build = build

    def _word_binary(self, opcode: str, bits: int, x: Operand, y: Operand) -> Operand:
        op = self.build.op
        if bits == 1:
            # Addition and subtraction of bits are exclusive or. A shift by a nonzero amount is poison.
            names = {"and": "and", "or": "ior", "xor": "xor", "add": "xor", "sub": "xor", "mul": "and"}
            if opcode in names:
                return op(names[opcode], x, y, boolean=True)
            return 0 if opcode in ("urem", "srem") else x
        if opcode in BINARY:
            return op(BINARY[opcode], x, y)
        if opcode in ("shl", "lshr", "ashr") and bits < 5:
            y = self._extended(y, bits)  # the units use the low five bits of the count
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
        return op(DIVISIONS[opcode], x, y)

    def _extended(self, x: Operand, bits: int) -> Operand:
        """Zero-extend an integer of `bits` bits to a word."""
        return x if bits == 1 else self._extended_part(x, bits)

    def _extended_part(self, x: Operand, bits: int) -> Operand:
        """Return the low `bits` bits of a word."""
        return x if bits == 32 else self.build.op("and", x, (1 << bits) - 1)

    def _sign_extended(self, x: Operand, bits: int) -> Operand:
        op = self.build.op
        if bits == 32:
            return x
        if bits == 1:
            return op("sub", 0, x)
        if bits in (8, 16):
            return op("sxb" if bits == 8 else "sxh", x)
        return op("shr", op("shl", x, 32 - bits), 32 - bits)

    def _high_product(self, a: Operand, b: Operand) -> Operand:
        """Return the high word of the product of two words; use 16-bit halves if no unit computes it."""
        op = self.build.op
        if self.build.has("mulhu"):
            return op("mulhu", a, b)
        al, ah, bl, bh = op("and", a, 0xFFFF), op("shru", a, 16), op("and", b, 0xFFFF), op("shru", b, 16)
        middle = op("add", op("mul", ah, bl), op("shru", op("mul", al, bl), 16))
        other = op("add", op("mul", al, bh), op("and", middle, 0xFFFF))
        return op("add", op("mul", ah, bh), op("add", op("shru", middle, 16), op("shru", other, 16)))

    def _wide_add(self, a: Pair, b: Pair) -> Pair:
        op = self.build.op
        low = op("add", a[0], b[0])
        return low, op("add", op("add", a[1], b[1]), op("ltu", low, b[0]))

    def _wide_sub(self, a: Pair, b: Pair) -> Pair:
        op = self.build.op
        return op("sub", a[0], b[0]), op("sub", op("sub", a[1], b[1]), op("ltu", a[0], b[0]))

    def _low_shift_left(self, low: Operand, by: Operand) -> Operand:
        """Return the low word of a 64-bit left shift."""
        if isinstance(by, int):
            return self.build.op("shl", low, by) if by < 32 else 0
        return self.build.select(self.build.op("ltu", 31, by), 0, self.build.op("shl", low, by))

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
        """Emit an LLVM comparison of single-precision numbers."""
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
            result = op("ior", op("eq", a, b), zeros, boolean=True)
        elif predicate == "olt":
            result = op("and", op("lt", self._key(a), self._key(b)), negate(zeros), boolean=True)
        else:
            result = op("ior", op("le", self._key(a), self._key(b)), zeros, boolean=True)
        return result if finite else op("and", result, self._ordered(a, b), boolean=True)

    def _key(self, a: Operand) -> Operand:
        """Map the bits of a float to an integer that has the same order."""
        op = self.build.op
        return op("xor", a, op("and", op("shr", a, 31), 0x7FFFFFFF))

    def _ordered(self, a: Operand, b: Operand) -> Operand:
        op = self.build.op
        numbers = [op("leu", op("and", x, 0x7FFFFFFF), 0x7F800000) for x in (a, b)]
        return op("and", *numbers, boolean=True)

    def _wide_shift_left(self, number: Pair, by: Operand) -> Pair:
        """Shift a 64-bit number to the left."""
        op, select = self.build.op, self.build.select
        low, high = number
        if isinstance(by, int):
            if by >= 32:
                return 0, op("shl", low, by - 32)
            return op("shl", low, by), op("ior", op("shl", high, by), op("shru", low, 32 - by) if by else 0)
        far = op("ltu", 31, by)
        spilled = op("shru", op("shru", low, 1), op("xor", by, 31))
        near = op("ior", op("shl", high, by), spilled)
        return select(far, 0, op("shl", low, by)), select(far, op("shl", low, op("and", by, 31)), near)

    def _wide_shift_right(self, number: Pair, by: Operand, signed: bool) -> Pair:
        """Shift a 64-bit number to the right, arithmetically if `signed`."""
        op, select = self.build.op, self.build.select
        low, high = number
        name = "shr" if signed else "shru"
        fill = op("shr", high, 31) if signed else 0
        if isinstance(by, int):
            if by >= 32:
                return op(name, high, by - 32), fill
            return op("ior", op("shru", low, by), op("shl", high, 32 - by) if by else 0), op(name, high, by)
        far = op("ltu", 31, by)
        spilled = op("shl", op("shl", high, 1), op("xor", by, 31))
        near = op("ior", op("shru", low, by), spilled)
        return select(far, op(name, high, op("and", by, 31)), near), select(far, fill, op(name, high, by))
