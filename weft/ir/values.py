"""Values of the IR: the operands of instructions.

Instructions, arguments, blocks, functions and global variables have use lists; constants, which all functions
may share, do not.
"""

import struct
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from weft.integers import signed

from .types import FloatType, IntType, PointerType, Type, VectorType, quoted

if TYPE_CHECKING:
    from .instruction import Instruction


class Value:
    """Anything with a type that an instruction can use; `name` is None for LLVM's numbered values."""

    __slots__ = ("name", "type", "users")
    type: Type
    name: str | None
    users: "dict[Instruction, int]"  # user -> number of its operands that are this value
    is_function = False

    def __init__(self, type: Type, name: str | None = None) -> None:
        self.type = type
        self.name = name
        self.users = {}

    def replace_all_uses_with(self, new: "Value") -> None:
        """Replace this value by `new` in every operand."""
        for user in list(self.users):
            user.replace_operand(self, new)

    def __repr__(self) -> str:
        return f"<{self.__class__.__name__} {self.type} {self.name}>"


class Argument(Value):
    """A parameter of a function; `attributes` are LLVM's words, such as `noundef` or `byval(%S)`."""

    __slots__ = ("attributes", "index")

    def __init__(self, type: Type, name: str | None, index: int, attributes: tuple[str, ...] = ()) -> None:
        super().__init__(type, name)
        self.index = index
        self.attributes = attributes


class Constant(Value):
    """Base class of constants, which are immutable, may be shared, and have no use lists."""

    __slots__ = ()

    def replace_all_uses_with(self, new: Value) -> None:
        raise TypeError("constants do not know their users")


class ConstantInt(Constant):
    """An integer; `value` is stored as an unsigned number of the type's width."""

    __slots__ = ("value",)
    type: IntType

    def __init__(self, type: IntType, value: int) -> None:
        super().__init__(type)
        self.value = value & ((1 << type.bits) - 1)

    @property
    def signed(self) -> int:
        """The value as a two's complement number."""
        return signed(self.value, self.type.bits)


class ConstantFloat(Constant):
    """A floating-point number, stored as the bits of its format, so NaN payloads survive."""

    __slots__ = ("bits",)
    type: FloatType

    def __init__(self, type: FloatType, bits: int) -> None:
        super().__init__(type)
        self.bits = bits

    @classmethod
    def of(cls, type: FloatType, value: float) -> "ConstantFloat":
        """Return the constant of half, float or double type nearest to `value`."""
        return cls(type, float_to_bits(type.kind, value))

    @property
    def value(self) -> float:
        """The number as a Python float (half, bfloat, float and double)."""
        return bits_to_float(self.type.kind, self.bits)


class ConstantZero(Constant):
    """`zeroinitializer`, or `null` for pointers."""

    __slots__ = ()


class Undef(Constant):
    """undef."""

    __slots__ = ()


class Poison(Constant):
    """poison."""

    __slots__ = ()


class ConstantAggregate(Constant):
    """A vector, array or struct of constants."""

    __slots__ = ("elements",)

    def __init__(self, type: Type, elements: Iterable[Value]) -> None:
        super().__init__(type)
        self.elements = tuple(elements)

    @property
    def splat(self) -> Value | None:
        """The common element of a vector of equal numbers, or None."""
        first = self.elements[0] if self.elements and isinstance(self.type, VectorType) else None
        if isinstance(first, ConstantInt):
            same = all(isinstance(e, ConstantInt) and e.value == first.value for e in self.elements)
        elif isinstance(first, ConstantFloat):
            same = all(isinstance(e, ConstantFloat) and e.bits == first.bits for e in self.elements)
        else:
            return None
        return first if same else None


class ConstantString(Constant):
    """c"…": an array of i8 as bytes."""

    __slots__ = ("data",)

    def __init__(self, type: Type, data: bytes) -> None:
        super().__init__(type)
        self.data = data


class ConstantExpression(Constant):
    """An operation on constants: getelementptr, a cast, add, sub or xor."""

    __slots__ = ("attributes", "opcode", "operands")

    def __init__(
        self, opcode: str, type: Type, operands: Iterable[Value], attributes: dict[str, Any] | None = None
    ) -> None:
        super().__init__(type)
        self.opcode = opcode
        self.operands = tuple(operands)
        self.attributes = attributes or {}


class InlineAsm(Constant):
    """asm "…", "…" as a callee, kept as text."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        super().__init__(PointerType(0))
        self.text = text


class MetadataOperand(Constant):
    """A metadata argument of an intrinsic, kept as text."""

    __slots__ = ("text",)

    def __init__(self, type: Type, text: str) -> None:
        super().__init__(type)
        self.text = text


class GlobalValue(Value):
    """A global variable, function or alias: its address is the value."""

    __slots__ = ()
    type: PointerType

    @property
    def reference(self) -> str:
        """The text of a reference: @name."""
        return "@" + quoted(self.name or "")


def const_int(type: Type, value: int) -> ConstantInt:
    """Return an integer constant; `type` must be an integer type."""
    assert isinstance(type, IntType)
    return ConstantInt(type, value)


def constant_of(value: Value) -> int | None:
    """Return the signed number of an integer constant or of a splat vector, or None."""
    if isinstance(value, ConstantAggregate) and value.type.is_vector:
        value = value.splat or value
    if isinstance(value, ConstantZero):
        return 0
    return value.signed if isinstance(value, ConstantInt) else None


def zero_of(type: Type) -> Constant:
    """Return the zero of a first-class type."""
    if isinstance(type, IntType):
        return ConstantInt(type, 0)
    if isinstance(type, FloatType):
        return ConstantFloat(type, 0)
    return ConstantZero(type)


_FORMATS = {"half": ("<e", "<H"), "float": ("<f", "<I"), "double": ("<d", "<Q")}


def float_to_bits(kind: str, value: float) -> int:
    """Return the bits of the half, bfloat, float or double nearest to `value`; overflow yields infinity."""
    if kind == "bfloat":
        return _bfloat_bits(value)
    if kind not in _FORMATS:
        raise ValueError(f"numbers of type {kind} have hexadecimal literals only")
    number_format, bits_format = _FORMATS[kind]
    try:
        packed = struct.pack(number_format, value)
    except OverflowError:
        packed = struct.pack(number_format, float("inf") if value > 0 else float("-inf"))
    return int(struct.unpack(bits_format, packed)[0])


def _bfloat_bits(value: float) -> int:
    bits = float_to_bits("float", value)
    if value != value:
        return bits >> 16 | 0x40
    rounded = bits_to_float("float", bits)
    if rounded != value:
        # Double rounding must equal single rounding, so the first one rounds to odd.
        bits = (bits - (abs(rounded) > abs(value))) | 1
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def bits_to_float(kind: str, bits: int) -> float:
    """Return the number with the given bits of a half, bfloat, float or double."""
    if kind == "bfloat":
        kind, bits = "float", bits << 16
    number_format, bits_format = _FORMATS[kind]
    return float(struct.unpack(number_format, struct.pack(bits_format, bits))[0])


def double_bits_of_float(bits: int) -> int:
    """Return the bits of the double equal to a float, keeping NaN payloads (LLVM writes floats that way)."""
    if bits & 0x7F800000 == 0x7F800000:
        return (bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29
    return float_to_bits("double", bits_to_float("float", bits))


def float_bits_of_double(bits: int) -> int:
    """Invert `double_bits_of_float`."""
    if (bits >> 52) & 0x7FF == 0x7FF:
        return (bits >> 63) << 31 | 0xFF << 23 | (bits >> 29) & 0x7FFFFF
    return float_to_bits("float", bits_to_float("double", bits))
