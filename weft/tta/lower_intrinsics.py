"""Lower calls of LLVM intrinsics to short sequences of operations."""

from weft.ir import Instruction
from weft.ir.types import VectorType
from weft.ir.values import constant_of

from .arithmetic import Pair
from .code import Operand
from .lower_memory import Memory
from .lower_values import Parts, bits_of, is_bit
from .operations import WORD

_IGNORED = ("llvm.assume", "llvm.lifetime.", "llvm.experimental.noalias.scope.decl", "llvm.dbg.")
_MIN_MAX = {"smin": "min", "smax": "max", "umin": "minu", "umax": "maxu"}
SIGN = 0x80000000
_INFINITY = 0x7F800000
_QUIET = 0x7FC00000


class Intrinsics(Memory):
    """Emits operations for calls of intrinsics."""

    def _call(self, i: Instruction) -> Parts | None:
        callee = i.called_function
        name = (callee.name or "") if callee is not None else ""
        if name.startswith(_IGNORED):
            return None
        if not name.startswith("llvm."):
            raise self._refused(i, f"calls of {name or 'functions by their address'}")
        word = name.removeprefix("llvm.").split(".")
        if word[0] in ("memcpy", "memmove", "memset"):
            self._copy(i, word[0])
            return None
        if word[0] == "vector" and word[1] == "reduce":
            return self._reduce(i, word[2])
        if not i.arguments:
            raise self._refused(i, name)
        called = ".".join(word[:2]) if word[1:2] in (["sat"], ["fpclass"]) else word[0]
        self._words(i.type.scalar, i)
        operands = i.arguments
        count = i.type.count if isinstance(i.type, VectorType) else 1
        bits = bits_of(operands[0].type)
        if bits > 32:
            if bits != 64 and called not in _MIN_MAX:
                raise self._refused(i, name)
            parts: Parts = []
            for n in range(count):
                pairs = [
                    self.extended_pair(x, n, called[0] == "s")
                    if bits_of(x.type) > 32
                    else (self.low(x)[0], 0)
                    for x in operands
                ]
                parts += self._wide_intrinsic(i, called, pairs)
            return parts
        columns = [self.get(x) if x.type.is_vector else self.get(x)[:1] * count for x in operands]
        return [self._intrinsic(i, called, bits, lane) for lane in zip(*columns, strict=True)]

    def _intrinsic(self, i: Instruction, name: str, bits: int, x: tuple[Operand, ...]) -> Operand:
        op, select = self.build.op, self.build.select
        match name:
            case "fmuladd":
                return op("fadd", op("fmul", x[0], x[1]), x[2])
            case "fabs":
                return op("and", x[0], SIGN - 1)
            case "copysign":
                return op("ior", op("and", x[0], SIGN - 1), op("and", x[1], SIGN))
            case "sqrt":
                return op("fsqrt", x[0])
            case "smin" | "smax" | "umin" | "umax":
                extend = self._sign_extended if name[0] == "s" else self._extended
                return self._least(name, extend(x[0], bits), extend(x[1], bits))
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
            case "fshl" | "fshr" if bits in (8, 16):
                both = op("ior", op("shl", x[0], bits), self._extended(x[1], bits))
                by = op("and", x[2], bits - 1)
                return op("shru", op("shl", both, by), bits) if name == "fshl" else op("shru", both, by)
            case "bswap" if bits in (16, 32):
                return self._swapped(x[0]) if bits == 32 else op("shru", self._swapped(x[0]), 16)
            case "ctpop":
                return op("popcount", self._extended(x[0], bits))
            case "ctlz":
                return op("sub", op("clz", self._extended(x[0], bits)), 32 - bits)
            case "cttz":
                # Mask the bits below the lowest set bit; a set bit above the type bounds the count.
                a = x[0] if bits == 32 else op("ior", x[0], 1 << bits)
                return op("popcount", op("and", op("xor", a, WORD), op("sub", a, 1)))
            case "uadd.sat" | "usub.sat" | "sadd.sat" | "ssub.sat":
                return self._saturated(name, bits, x[0], x[1])
            case "scmp" | "ucmp":
                s = name[0]
                more, less = (self._word_compare(f"{s}{p}t", bits, x[0], x[1]) for p in "gl")
                return op("sub", more, less)
            case "is.fpclass":
                return self._float_class(x[0], constant_of(i.arguments[1]) or 0)
            case "minnum" | "maxnum":
                predicate = "olt" if name == "minnum" else "ogt"
                first = op(
                    "ior",
                    self.float_compare(predicate, x[0], x[1]),
                    self.float_compare("uno", x[1], x[1]),
                    boolean=True,
                )
                return select(first, x[0], x[1])
        raise self._refused(i, f"llvm.{name}")

    def _least(self, name: str, a: Operand, b: Operand) -> Operand:
        """Return the minimum or maximum of two words."""
        op = self.build.op
        if self.build.has(_MIN_MAX[name]):
            return op(_MIN_MAX[name], a, b)
        less = op("lt" if name[0] == "s" else "ltu", a, b)
        return self.build.select(less, *((a, b) if name.endswith("min") else (b, a)))

    def _swapped(self, a: Operand) -> Operand:
        """Reverse the bytes of a word."""
        op = self.build.op
        outer = op("ior", op("shl", a, 24), op("shru", a, 24))
        inner = op("ior", op("shl", op("and", a, 0xFF00), 8), op("and", op("shru", a, 8), 0xFF00))
        return op("ior", outer, inner)

    def _saturated(self, name: str, bits: int, x: Operand, y: Operand) -> Operand:
        op, select = self.build.op, self.build.select
        signed, operation = name[0] == "s", name[1:4]
        extend = self._sign_extended if signed else self._extended
        a, b = extend(x, bits), extend(y, bits)
        if name == "usub.sat":
            return select(op("ltu", a, b), 0, op("sub", a, b))
        total = op(operation, a, b)
        if bits < 32:
            if not signed:
                return self._least("umin", total, (1 << bits) - 1)
            half = 1 << (bits - 1)
            return self._least("smax", self._least("smin", total, half - 1), -half & WORD)
        if not signed:
            return select(op("ltu", total, a), WORD, total)
        return select(self._overflows(operation, a, b, total), op("xor", op("shr", a, 31), SIGN - 1), total)

    def _overflows(self, operation: str, a: Operand, b: Operand, total: Operand) -> Operand:
        """Return whether a sum or difference overflowed, that is, has the wrong sign."""
        op = self.build.op
        other = op("xor", b, total) if operation == "add" else op("xor", a, b)
        return op("lt", op("and", op("xor", a, total), other), 0)

    def _wide_intrinsic(self, i: Instruction, name: str, x: list[Pair]) -> Parts:
        """Emit an intrinsic on 64-bit numbers."""
        op, select = self.build.op, self.build.select
        (low, high), *others = x
        match name:
            case "smin" | "smax" | "umin" | "umax":
                first = self._wide_compare(f"{name[0]}{'l' if name.endswith('min') else 'g'}t", x[0], x[1])
                return [select(first, a, b) for a, b in zip(*x, strict=True)]
            case "fabs":
                return [low, op("and", high, SIGN - 1)]
            case "copysign":
                return [low, op("ior", op("and", high, SIGN - 1), op("and", others[0][1], SIGN))]
            case "abs":
                sign = op("shr", high, 31)
                return list(self._wide_sub((op("xor", low, sign), op("xor", high, sign)), (sign, sign)))
            case "ctpop":
                return [op("add", op("popcount", low), op("popcount", high)), 0]
            case "ctlz":
                far = op("add", op("clz", low), 32)
                return [select(op("eq", high, 0), far, op("clz", high)), 0]
            case "cttz":
                below = [op("popcount", op("and", op("xor", a, WORD), op("sub", a, 1))) for a in x[0]]
                return [select(op("eq", low, 0), op("add", below[1], 32), below[0]), 0]
            case "fshl" | "fshr":
                by = op("and", x[2][0], 63)
                back = op("xor", by, 63)
                if name == "fshl":
                    parts = (
                        self._wide_shift_left(x[0], by),
                        self._wide_shift_right(self._wide_shift_right(x[1], 1, False), back, False),
                    )
                else:
                    parts = (
                        self._wide_shift_right(x[1], by, False),
                        self._wide_shift_left(self._wide_shift_left(x[0], 1), back),
                    )
                return [op("ior", a, b) for a, b in zip(*parts, strict=True)]
            case "bswap":
                return [self._swapped(high), self._swapped(low)]
            case "usub.sat":
                less = self._wide_compare("ult", x[0], x[1])
                return [select(less, 0, part) for part in self._wide_sub(x[0], x[1])]
            case "uadd.sat":
                total = self._wide_add(x[0], x[1])
                over = self._wide_compare("ult", total, x[0])
                return [select(over, WORD, part) for part in total]
            case "sadd.sat" | "ssub.sat":
                total = (self._wide_add if name[1] == "a" else self._wide_sub)(x[0], x[1])
                over = self._overflows(name[1:4], high, others[0][1], total[1])
                sign = op("shr", high, 31)
                most = op("xor", sign, WORD), op("xor", sign, SIGN - 1)
                return [select(over, a, b) for a, b in zip(most, total, strict=True)]
            case "scmp" | "ucmp":
                more, less = (self._wide_compare(f"{name[0]}{p}t", x[0], x[1]) for p in "gl")
                result = op("sub", more, less)
                return [result] if bits_of(i.type) <= 32 else [result, op("shr", result, 31)]
        raise self._refused(i, f"llvm.{name} of {i.arguments[0].type.scalar}")

    def _float_class(self, x: Operand, classes: int) -> Operand:
        """Return whether a float belongs to one of `classes`, the bit mask of `llvm.is.fpclass`."""
        op = self.build.op
        size, negative = op("and", x, SIGN - 1), op("lt", x, 0)
        result: Operand = 0
        kinds = [
            (1 << 2, 1 << 9, op("eq", size, _INFINITY)),
            (1 << 3, 1 << 8, op("ltu", op("sub", size, 0x800000), 0x7F000000)),
            (1 << 4, 1 << 7, op("ltu", op("sub", size, 1), 0x7FFFFF)),
            (1 << 5, 1 << 6, op("eq", size, 0)),
        ]
        for minus, plus, is_kind in kinds:
            if classes & minus and classes & plus:
                here = is_kind
            elif classes & minus:
                here = op("and", is_kind, negative, boolean=True)
            elif classes & plus:
                here = op("and", is_kind, self.build.negate(negative), boolean=True)
            else:
                continue
            result = op("ior", result, here, boolean=True)
        if classes & 3 == 3:
            result = op("ior", result, op("ltu", _INFINITY, size), boolean=True)
        elif classes & 2:
            result = op("ior", result, op("leu", _QUIET, size), boolean=True)
        elif classes & 1:
            result = op("ior", result, op("ltu", op("sub", size, _INFINITY + 1), 0x3FFFFF), boolean=True)
        return result

    def _reduce(self, i: Instruction, name: str) -> Parts:
        names = {"and": "and", "or": "ior", "xor": "xor"}
        if not is_bit(i.type):
            names |= {"add": "add", "mul": "mul", **_MIN_MAX}
        values = self.get(i.arguments[-1])
        if name not in names or bits_of(i.type) not in (1, 32):
            raise self._refused(i, f"llvm.vector.reduce.{name}")
        total = values[0]
        for value in values[1:]:
            total = self.build.op(names[name], total, value, boolean=is_bit(i.type))
        return [total]
