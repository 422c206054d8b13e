"""Turn automatic local variables of a kernel into parameters (pocl, section 4.7).

    @k.tile = internal addrspace(3) global [64 x float] undef
    define void @k(ptr addrspace(1) %a)

becomes

    define void @k(ptr addrspace(1) %a, ptr addrspace(3) %k.tile)

so that both kinds of local memory, from the host and from the kernel, are in one arena. Constant expressions
on such a variable become instructions. Returns the offset of each variable in the arena.
"""

from collections.abc import Iterable
from functools import partial

from weft.analysis.forms import mentions_local_variable
from weft.analysis.group_functions import is_group_memory
from weft.dataclasses import dataclass
from weft.ir import Argument, Block, Function, GlobalVariable, Instruction, Value
from weft.ir.address_spaces import LOCAL
from weft.ir.types import FunctionType, align_up, alignment_of, size_of
from weft.ir.values import ConstantAggregate, ConstantExpression
from weft.recursion import Definition, Recursion


@dataclass(frozen=True)
class LocalVariable:
    """An automatic local variable, its parameter and its offset in the local arena."""

    name: str
    argument: Argument
    offset: int


def locals_to_arguments(function: Function) -> tuple[tuple[LocalVariable, ...], int]:
    """Replace automatic local variables by parameters; return them and their total size in bytes."""
    _expand_expressions(function)
    module = function.parent
    used = {o for i in function.instructions() for o in i.operands if _is_local(o)}
    offsets, end = local_layout([v for v in module.variables if v in used])
    parameters: list[LocalVariable] = []
    for variable, offset in offsets.items():
        argument = Argument(variable.type, variable.name, len(function.arguments))
        function.arguments.append(argument)
        parameters.append(LocalVariable(variable.name or "", argument, offset))
        for user in list(variable.users):
            if user.block is not None and user.block.function is function:
                user.replace_operand(variable, argument)
    type = function.function_type
    function.function_type = FunctionType(type.result, tuple(a.type for a in function.arguments))
    return tuple(parameters), end


def local_layout(variables: Iterable[GlobalVariable]) -> tuple[dict[GlobalVariable, int], int]:
    """Place local variables in the arena in the given order; return their offsets and the end."""
    offsets: dict[GlobalVariable, int] = {}
    end = 0
    for variable in variables:
        start = align_up(end, max(declared_alignment(variable), alignment_of(variable.value_type)))
        offsets[variable] = start
        if is_group_memory(variable.name):
            continue  # not in the arena: see the work-group function
        end = start + size_of(variable.value_type)
    return offsets, end


def _is_local(value: Value) -> bool:
    return isinstance(value, GlobalVariable) and value.type.space == LOCAL


def declared_alignment(variable: GlobalVariable) -> int:
    """Return the alignment that a variable has in its module; 1 if it has none there."""
    for word in variable.suffix:
        if word.startswith("align "):
            return int(word.removeprefix("align "))
    return 1


def _expand_expressions(function: Function) -> None:
    """Replace constant expressions on local variables by instructions before their users."""
    at_ends: dict[tuple[Value, Value], Value] = {}  # a phi may list a block several times
    for user in list(function.instructions()):
        for index, operand in enumerate(user.operands):
            if not isinstance(operand, ConstantExpression | ConstantAggregate):
                continue
            if not mentions_local_variable(operand):
                continue
            if user.opcode == "phi":
                source = user.operands[index + 1]
                assert isinstance(source, Block)
                if (user, source) not in at_ends:
                    at_ends[user, source] = _expand(operand, source.terminator)
                user.set_operand(index, at_ends[user, source])
            else:
                user.set_operand(index, _expand(operand, user))


def _expand(value: Value, place: Instruction) -> Value:
    """Emit instructions that compute a constant on local variables, before `place`; return the value."""
    return Recursion(partial(_expanded, place), value)(value)


def _expanded(place: Instruction, value: Value) -> Definition[Value, Value]:
    if not mentions_local_variable(value) or not isinstance(value, ConstantExpression | ConstantAggregate):
        return value
    if isinstance(value, ConstantExpression):
        attributes = {k: v for k, v in value.attributes.items() if k != "flags"}
        flags = tuple(f for f in value.attributes.get("flags", ()) if not f.startswith("inrange"))
        operands = []
        for operand in value.operands:
            operands.append((yield operand))
        expanded = Instruction(value.opcode, value.type, operands, None, flags, attributes)
        return place.parent.insert_before(place, expanded)
    raise TypeError(f"a constant of type {value.type} holds the address of a local variable")
