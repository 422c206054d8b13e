"""Locations, names and types of the IR in source terms."""

from collections.abc import Iterable
from enum import unique

from weft.abi import VARIABLE
from weft.analysis.divergence import Divergence
from weft.analysis.group_functions import is_group_memory
from weft.analysis.work_items import work_item_function
from weft.ir import Argument, GlobalVariable, Instruction, Value
from weft.ir.debug import DebugInfo, Location, SourceVariable
from weft.ir.graph import reachable
from weft.ir.symbols import readable
from weft.ir.types import ArrayType, FloatType, IntType, NamedType, PointerType, Type, VectorType
from weft.ir.values import ConstantExpression, ConstantInt
from weft.lazy_pattern import lazy_pattern
from weft.remarks import Message, Reason

# The memory through which work-items exchange values in work-group functions.
EXCHANGE = "(exchange)"
SPACES = ("private", "global", "constant", "local", "generic")
_INTEGERS = {1: "bool", 8: "char", 16: "short", 32: "int", 64: "long"}
# Suffixes that inlining, SROA and LCSSA append to a name.
_SUFFIX = lazy_pattern(r"(?:\.(?:i\d*|\d+|lcssa\d*|sroa|addr|copyload\d*|load\d*))+$")


@unique
class Diverges(Message):
    """Why a value differs between work-items."""

    POSITION = "depends on {function}({dimension})"
    READ = "depends on a value read from {memory}{where}"
    PRIVATE_ADDRESS = "depends on a private address"
    RESULT = "depends on the result of {function}"
    WAY_TAKEN = "{value} depends on the path taken"


class Naming:
    """Source names of the values of one kernel."""

    def __init__(
        self,
        kernel: str,
        debug: DebugInfo,
        variables: dict[Value, SourceVariable],
    ) -> None:
        self._kernel = kernel
        self._debug = debug
        self._variables = variables

    def place(self, instruction: Instruction) -> Location | None:
        """Return the source location of an instruction."""
        return self._debug.location(instruction)

    def blocks(self, instruction: Instruction) -> list[Location]:
        """Return the starts of the source blocks around an instruction, innermost first."""
        return self._debug.blocks(instruction)

    def lines(self, instructions: Iterable[Instruction]) -> list[int]:
        """Return the source lines of instructions, including those of calls that were inlined."""
        numbers: set[int] = set()
        for instruction in instructions:
            place = self.place(instruction)
            while place is not None:
                if not place.file:
                    numbers.add(place.line)
                place = place.caller
        return sorted(numbers)

    def source_name(self, value: Value) -> str | None:
        """Return the source variable that a value belongs to."""
        variable = self._variable(value)
        if variable is not None:
            return variable.name
        if not isinstance(value, Instruction) or not value.name:
            return None
        # Allocas are named after their variables, and so are the values into which SROA splits them.
        part = ".sroa." in value.name
        return _SUFFIX.sub("", value.name) if value.opcode == "alloca" or part else None

    def declared(self, value: Value) -> Location | None:
        """Return the declaration of the source variable that a value belongs to."""
        variable = self._variable(value)
        return Location(variable.line) if variable is not None and variable.line else None

    def _variable(self, value: Value) -> SourceVariable | None:
        variable = self._variables.get(value)
        if variable is None and isinstance(value, Instruction) and value.opcode == "phi":
            # An LCSSA phi, or one that joins the values of a variable from several paths.
            incoming = {self._variables.get(v) for v, _ in value.incoming() if isinstance(v, Instruction)}
            if len(incoming) == 1:
                return incoming.pop()
        return variable

    def name(self, value: Value) -> str:
        """Return the source variable of a value, or its name in the IR."""
        return self.source_name(value) or f"%{value.name or value_word(value)}"

    def memory(self, pointer: Value) -> tuple[str, str]:
        """Return the address space and the name of the object that a pointer leads to; empty if unclear."""
        space = SPACES[pointer.type.space] if isinstance(pointer.type, PointerType) else ""
        roots = self._roots(pointer)
        if len(roots) != 1:
            return space, " or ".join(sorted(n for _, n in roots)) if all(n for _, n in roots) else ""
        return next(iter(roots)) if space in ("generic", "private") else (space, next(iter(roots))[1])

    def _roots(self, pointer: Value) -> set[tuple[str, str]]:
        return {self._object(value) for value in reachable([pointer], _sources) if not _sources(value)}

    def _object(self, value: Value) -> tuple[str, str]:
        space = SPACES[value.type.space] if isinstance(value.type, PointerType) else ""
        if is_group_memory(value.name):
            return "local", EXCHANGE
        if isinstance(value, Argument | GlobalVariable):
            name = (value.name or "").removeprefix(VARIABLE)
            return space, name.removeprefix(f"{self._kernel}.")
        if isinstance(value, Instruction) and value.opcode == "alloca":
            return "private", self.name(value)
        return space, ""

    def root_of_divergence(self, value: Value, shape: Divergence) -> Reason:
        """Return why a divergent value differs between work-items."""
        seen: set[Value] = {value}
        work = [value]
        joins: list[Instruction] = []
        for current in work:  # grows: breadth first, nearest operands first
            if not isinstance(current, Instruction) or shape.is_uniform(current):
                continue
            query = work_item_function(current)
            if query is not None:
                return Reason(Diverges.POSITION, function=query.name, dimension=_dimension(current))
            if current.opcode in ("load", "atomicrmw", "cmpxchg"):
                return self._read_from(current)
            if current.opcode == "alloca":
                return Reason(Diverges.PRIVATE_ADDRESS)
            if current.opcode == "phi":
                joins.append(current)
            operands = [o for o in current.operands if o not in seen]
            if current.opcode == "call" and not any(not shape.is_uniform(o) for o in current.arguments):
                return Reason(Diverges.RESULT, function=readable(current.callee.name or ""))
            seen.update(operands)
            work += operands
        named = next((name for phi in joins if (name := self.source_name(phi))), "a value")
        return Reason(Diverges.WAY_TAKEN, value=named)

    def _read_from(self, instruction: Instruction) -> Reason:
        memory = self.memory(instruction.operands[0])[1] or "memory"
        place = self.place(instruction)
        return Reason(Diverges.READ, memory=memory, where=f" at {place}" if place is not None else "")


def _sources(pointer: Value) -> list[Value]:
    """Return the pointers that a pointer is computed from."""
    if isinstance(pointer, Instruction | ConstantExpression):
        match pointer.opcode:
            case "getelementptr" | "addrspacecast" | "bitcast" | "freeze":
                return [pointer.operands[0]]
            case "phi":
                return list(pointer.operands[::2])
            case "select":
                return list(pointer.operands[1:])
    return []


def _dimension(call: Instruction) -> str:
    for argument in call.arguments:
        return str(argument.value) if isinstance(argument, ConstantInt) else "…"
    return ""


def value_word(value: Value) -> str:
    """Return a word for an unnamed value: the opcode of an instruction."""
    return value.opcode if isinstance(value, Instruction) else "value"


def type_name(type: Type) -> str:
    """Return the OpenCL C name of a type; integers are shown as signed, since the IR does not distinguish."""
    match type:
        case IntType():
            return _INTEGERS.get(type.bits, f"{type.bits}-bit integer")
        case FloatType():
            return type.kind
        case PointerType():
            return f"{SPACES[type.space]} *" if type.space < len(SPACES) else "pointer"
        case VectorType():
            return f"{type_name(type.element)}{type.count}"
        case ArrayType():
            base: Type = type
            extents = ""
            while isinstance(base, ArrayType):
                extents += f"[{base.count}]"
                base = base.element
            return f"{type_name(base)}{extents}"
        case NamedType():
            return type.name.removeprefix("struct.")
    return str(type)


def ranges(lines: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return sorted numbers as ranges; a gap of one, such as a lone brace, does not end a range."""
    merged: list[tuple[int, int]] = []
    for line in lines:
        if merged and line <= merged[-1][1] + 2:
            merged[-1] = (merged[-1][0], line)
        else:
            merged.append((line, line))
    return tuple(merged)
