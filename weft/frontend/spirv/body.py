"""The state of a function during translation: values by id, and the lines of LLVM IR emitted so far.

Translators of instructions are functions registered by name (`translates`), one file for each area. A
translator checks the types of its operands, emits lines, and returns the result. A result whose type differs
from the declared one is an error, so every value has the type of its id.
"""

from collections.abc import Callable, Sequence

from weft.dataclasses import dataclass, field
from weft.frontend.spirv.binary import Instruction
from weft.frontend.spirv.constants import Constants, null
from weft.frontend.spirv.errors import InvalidModule
from weft.frontend.spirv.mangle import Parameter, mangle
from weft.frontend.spirv.module import Module
from weft.frontend.spirv.types import VOID, Int, Type, Types, integer

I32 = integer(32)
I64 = integer(64)
# Maximum number of elements of arrays and structures as values (rather than in memory).
MOST_LEAVES = 1024
# Limit of LLVM IR; the largest programs in use have a hundredth.
MOST_CHARACTERS = 1 << 28


@dataclass(frozen=True)
class Value:
    """A value: its type and LLVM's spelling; `parts` are its elements if known, `loaded` is the built-in
    variable that it was loaded from.

    Two kinds have no spelling: a pointer to a built-in variable (`variable` is its name; `index` is a
    component, or None for the whole), and an image with its sampler (`pair`).
    """

    type: Type
    text: str
    parts: "tuple[Value, ...]" = ()
    variable: str = ""
    index: "Value | None" = None
    pair: "tuple[Value, Value] | None" = None
    loaded: str = ""

    @property
    def typed(self) -> str:
        """The value with its type, as in LLVM's operands."""
        return f"{self.type.llvm} {self.text}"


@dataclass
class Output:
    """Output besides functions: declarations by symbol, and lines of metadata."""

    declarations: dict[str, str] = field(default_factory=dict)
    metadata: list[str] = field(default_factory=list)

    def declare(self, symbol: str, returns: Type, parameters: Sequence[Type], pure: bool) -> str:
        """Declare a built-in function and return the attribute group for its calls."""
        group = "#2" if pure else "#3"
        kinds = ", ".join(type.llvm for type in parameters)
        line = f"declare {returns.llvm} @{symbol}({kinds}) {group}"
        if self.declarations.setdefault(symbol, line) != line:
            raise InvalidModule(f"function {symbol!r} is used with different types")
        return group

    def node(self, text: str) -> str:
        """Add a metadata node and return its name."""
        self.metadata.append(text)
        return f"!{len(self.metadata) - 1}"


@dataclass
class Program:
    """A module being translated."""

    module: Module
    types: Types
    constants: Constants
    output: Output
    symbols: dict[int, str] = field(default_factory=dict)
    parameters: dict[int, list[Instruction]] = field(default_factory=dict)
    built_ins: dict[int, Value] = field(default_factory=dict)
    globals: set[int] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)
    # Fast-math flags of all floating-point instructions, from build options.
    fast_math: str = ""
    # Attributes of kernels from build options, with a leading space.
    kernel_words: str = ""
    # The compile unit, if debug locations are requested.
    scope: str = ""
    # The total size of variables so far, in bytes.
    variable_bytes: int = 0
    # Characters of instructions written so far.
    written: int = 0


class Body:
    """One function being translated."""

    def __init__(self, program: Program, scope: str = "") -> None:
        self.program = program
        self.module = program.module
        self.types = program.types
        self.lines: list[str] = []
        self.values: dict[int, Value] = {}
        self.place = 0
        self._scope = scope
        self._locations: dict[tuple[int, int], str] = {}
        self._count = 0

    # Values

    def value(self, id: int) -> Value:
        """Return the value with an id."""
        value = self.values.get(id)
        if value is not None:
            return value
        constant = self.program.constants.get(id)
        if constant is None:
            raise InvalidModule(f"id {id} is not a value")
        if constant.type.leaves > MOST_LEAVES:
            raise InvalidModule(f"values of more than {MOST_LEAVES} elements are not supported")
        return Value(constant.type, constant.text)

    def operand(self, instruction: Instruction, index: int) -> Value:
        """Return an operand of an instruction; it must have a spelling."""
        if index >= len(instruction.operands):
            raise self.fault(instruction, "missing operands")
        value = self.value(instruction.id(index))
        if value.variable:
            raise self.fault(instruction, "a built-in variable can only be loaded")
        if value.pair is not None:
            raise self.fault(instruction, "a sampled image can only be read")
        return value

    def type(self, instruction: Instruction) -> Type:
        """Return the declared type of an instruction's result."""
        type = self.types[instruction.type]
        if type.leaves > MOST_LEAVES:
            raise self.fault(instruction, f"values of more than {MOST_LEAVES} elements are not supported")
        return type

    def integer(self, instruction: Instruction, index: int) -> int:
        """Return an operand that must be an integer constant."""
        return self.program.constants.integer(instruction.id(index))

    # Lines

    def write(self, text: str) -> None:
        """Append an instruction without result."""
        self.program.written += len(text)
        if self.program.written > MOST_CHARACTERS:
            raise InvalidModule("the module is too large")
        self.lines.append(f"  {text}{self._debug()}")

    def emit(self, text: str, type: Type) -> Value:
        """Append an instruction and return its result."""
        self._count += 1
        name = f"%v.{self._count}"
        self.write(f"{name} = {text}")
        return Value(type, name)

    def cast(self, operation: str, value: Value, type: Type) -> Value:
        """Append one of LLVM's casts and return its result."""
        return self.emit(f"{operation} {value.typed} to {type.llvm}", type)

    def call(
        self, name: str, parameters: Sequence[Parameter], arguments: Sequence[Value], returns: Type,
        pure: bool = True,
    ) -> Value:  # fmt: skip
        """Call a built-in function of OpenCL C."""
        return self.call_symbol(mangle(name, list(parameters)), arguments, returns, pure)

    def call_symbol(self, symbol: str, arguments: Sequence[Value], returns: Type, pure: bool = True) -> Value:
        """Call a function that the module does not define."""
        if symbol in self.program.defined:
            raise InvalidModule(f"the module redefines the built-in function {symbol!r}")
        group = self.program.output.declare(symbol, returns, [a.type for a in arguments], pure)
        text = f"call {returns.llvm} @{symbol}({', '.join(a.typed for a in arguments)}) {group}"
        if returns is VOID:
            self.write(text)
            return Value(VOID, "")
        return self.emit(text, returns)

    def intrinsic(self, name: str, arguments: Sequence[Value], returns: Type) -> Value:
        """Call an LLVM intrinsic."""
        kinds = ", ".join(argument.type.llvm for argument in arguments)
        self.program.output.declarations[name] = f"declare {returns.llvm} @{name}({kinds})"
        text = f"call {returns.llvm} @{name}({', '.join(a.typed for a in arguments)})"
        if returns is VOID:
            self.write(text)
            return Value(VOID, "")
        return self.emit(text, returns)

    def flags(self, instruction: Instruction) -> str:
        """Return the fast-math flags of a floating-point instruction, followed by a space."""
        mode = self.module.decoration(instruction.result, "FPFastMathMode")
        words = self.program.fast_math.split()
        for name in getattr(mode[0], "operands", ()) if mode else ():
            word = _FAST_MATH.get(name)
            if word and word not in words:
                words.append(word)
        return "".join(f"{word} " for word in words)

    def fault(self, instruction: Instruction, text: str) -> InvalidModule:
        """Return an error that names the instruction."""
        return InvalidModule(f"Op{instruction.name}: {text}")

    def require(self, condition: bool, instruction: Instruction, text: str) -> None:
        """Raise an error unless a condition holds."""
        if not condition:
            raise self.fault(instruction, text)

    def _debug(self) -> str:
        if not self._scope:
            return ""
        line = self.module.lines.get(self.place)
        at = (line.line, line.column) if line is not None else (0, 0)
        if at not in self._locations:
            # LLVM's lines have 32 bits, and columns 16 bits.
            text = f"!DILocation(line: {at[0]}, column: {min(at[1], 65535)}, scope: {self._scope})"
            self._locations[at] = self.program.output.node(text)
        return f", !dbg {self._locations[at]}"


_FAST_MATH = {
    "NotNaN": "nnan",
    "NotInf": "ninf",
    "NSZ": "nsz",
    "AllowRecip": "arcp",
    "Fast": "fast",
    "AllowContract": "contract",
    "AllowReassoc": "reassoc",
    "AllowContractFastINTEL": "contract",
    "AllowReassocINTEL": "reassoc",
}

Translator = Callable[[Body, Instruction], Value | None]

TRANSLATORS: dict[str, Translator] = {}


def translates(*names: str) -> Callable[[Translator], Translator]:
    """Register a function as the translator of instructions with these names."""

    def register(function: Translator) -> Translator:
        for name in names:
            assert name not in TRANSLATORS, name
            TRANSLATORS[name] = function
        return function

    return register


def zero(type: Type) -> Value:
    """Return the value whose bits are all zero."""
    return Value(type, null(type).text)


def number(value: int, type: Int = I32) -> Value:
    """Return an integer."""
    return Value(type, str(value))
