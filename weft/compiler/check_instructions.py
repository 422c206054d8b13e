"""Refuse programs with instructions for which there is no machine code.

Inline assembly may be invalid. Operations on integers and floating-point numbers of more than 64 bits may
become calls of functions of a C compiler's library, which kernels must not call. The launch would fail. So
the build compiles such instructions on their own, each with parameters in place of its operands:

    %q = sdiv i128 %a, 10        define i128 @trial.0(i128 %0) { %q = sdiv i128 %0, 10  ret i128 %q }

An error of LLVM, or an undefined function, is an error of the build. Programs without such instructions,
nearly all, cost a search for a few words. Vectors of more than 16 KiB, which clang's attribute `vector_size`
can make, are refused: LLVM takes time quadratic in their size.
"""

from collections.abc import Iterator

from weft import ir
from weft.codegen.imports import PROCESS_SYMBOLS
from weft.codegen.linking.place_object import ObjectFile
from weft.codegen.optimise import emit_object
from weft.codegen.program_text import ProgramText
from weft.codegen.support import SYMBOLS
from weft.errors import BuildError, LimitExceeded, ToolError
from weft.ir import Argument, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import clone_instruction
from weft.ir.parser import parse_type
from weft.ir.types import VOID, FloatType, FunctionType, IntType, Type, size_of
from weft.ir.values import (
    Constant,
    ConstantAggregate,
    ConstantExpression,
    GlobalValue,
    InlineAsm,
    MetadataOperand,
)
from weft.lazy_pattern import lazy_pattern
from weft.target import Target

_ASSEMBLY = " asm "
# Types of more than 64 bits; the space makes the search fast.
_WIDE = lazy_pattern(r" (?:i(?:6[5-9]|[7-9]\d|\d{3,})|fp128|x86_fp80|ppc_fp128)\b")
_WORD_BITS = 64
# A vector of 16 KiB has at least 1,024 elements.
_LONG_VECTOR = lazy_pattern(r"<\d{4,} x [^<>]*>")
# Bytes; to add vectors of 16 KiB takes LLVM 0.2 s, of 64 KiB 1 s, of 256 KiB 12 s.
_LARGEST_VECTOR = 16 << 10
_COMMON_FLOATS = frozenset(("half", "bfloat", "float", "double"))
# They need no machine code of their own, or blocks.
_NOT_TRIED = frozenset(("phi", "alloca", "getelementptr"))


def check_instructions(text: ProgramText, target: Target) -> None:
    """Raise BuildError if the program has an instruction that cannot be compiled."""
    for name in text.functions:
        body = text.body(name)
        largest = max((size_of(parse_type(found)) for found in set(_LONG_VECTOR.findall(body))), default=0)
        if largest > _LARGEST_VECTOR:
            raise BuildError(
                f"error: '{name}' uses vectors of {largest} bytes; the limit is {_LARGEST_VECTOR}\n"
            )
        if _ASSEMBLY in body or _WIDE.search(body):
            _check_function(ir.parse(text.alone(name)), name, target)


def _check_function(module: ir.Module, name: str, target: Target) -> None:
    trial = ir.Module()
    trial.header, trial.types = module.header, module.types
    unusual = list(_unusual(module.function(name)))
    for number, instruction in enumerate(unusual):
        _add_trial(trial, f"trial.{number}", instruction)
    if not unusual:
        return
    try:
        code = emit_object([ir.print_module(trial)], target, 0)
    except LimitExceeded:
        raise
    except ToolError as error:
        raise BuildError(f"error: '{name}' cannot be compiled: {error}\n") from None
    known = PROCESS_SYMBOLS.union(SYMBOLS)
    missing = [symbol for symbol in ObjectFile(code, {}).undefined if symbol not in known]
    if missing:
        wide = {value.type for i in unusual for value in (i, *i.operands) if _is_wide(value.type)}
        types = sorted(map(str, wide))
        partly = f"; arithmetic on {', '.join(types)} is supported only in part" if types else ""
        raise BuildError(
            "".join(f"error: '{name}' calls '{symbol}', which is not defined{partly}\n" for symbol in missing)
        )


def _unusual(function: Function) -> Iterator[Instruction]:
    """Return the instructions to try, those of one kind once."""
    seen = set()
    for instruction in filter(_is_tried, function.instructions()):
        operands = instruction.operands
        kinds: list[object] = [o if isinstance(o, Constant) else o.type for o in operands]
        if instruction.opcode == "call":
            callee = instruction.callee
            kinds[-1] = callee.text if isinstance(callee, InlineAsm) else callee
        key = (instruction.opcode, instruction.type, *kinds, instruction.attributes.get("predicate"))
        if key not in seen:
            seen.add(key)
            yield instruction


def _is_tried(instruction: Instruction) -> bool:
    if instruction.is_terminator or instruction.opcode in _NOT_TRIED:
        return False
    operands = instruction.operands
    if instruction.opcode == "call":
        if isinstance(instruction.callee, InlineAsm):
            return True
        if not (instruction.callee.name or "").startswith("llvm."):
            return False
    return any(_is_wide(value.type) for value in (instruction, *operands)) and not any(
        isinstance(operand, MetadataOperand) for operand in operands
    )


def _refers_to_variable(constant: Constant) -> bool:
    """Return whether a constant is, or is computed from, the address of a variable."""
    open_values: list[Value] = [constant]
    while open_values:
        value = open_values.pop()
        if isinstance(value, GlobalValue):
            return True
        if isinstance(value, ConstantExpression):
            open_values += value.operands
        elif isinstance(value, ConstantAggregate):
            open_values += value.elements
    return False


def _is_wide(type: Type) -> bool:
    scalar = type.scalar
    if isinstance(scalar, IntType):
        return scalar.bits > _WORD_BITS
    return isinstance(scalar, FloatType) and scalar.kind not in _COMMON_FLOATS


def _add_trial(trial: ir.Module, name: str, instruction: Instruction) -> None:
    """Add a function with an instruction whose operands are parameters, except constants.

    The address of a variable is not known before the launch, so it is no constant for a constraint such as
    "i" of inline assembly.
    """
    values: dict[Value, Value] = {}
    arguments: list[Argument] = []
    for operand in instruction.operands:
        if isinstance(operand, Function):
            values[operand] = trial.declare(operand.name or "", operand.function_type)
        elif operand not in values and (not isinstance(operand, Constant) or _refers_to_variable(operand)):
            argument = Argument(operand.type, None, len(arguments))
            values[operand] = argument
            arguments.append(argument)
    copy = clone_instruction(instruction, values)
    copy.metadata = {}  # nodes and groups are those of the program
    if "suffix" in copy.attributes:
        copy.attributes["suffix"] = ()
    function = trial.add_function(
        name, FunctionType(instruction.type, tuple(argument.type for argument in arguments))
    )
    function.arguments = arguments
    b = Builder(function.add_block("entry"))
    b.insert(copy)
    b.ret(None if copy.type is VOID else copy)
