"""The typing rules of instructions: requirements of each opcode on operands, result and attributes.

`type_problems(instruction)` yields a sentence for each violated rule. The rules are those of LLVM's language
reference. A rule may rely on the preceding ones; checking stops at a violation that makes the rest
meaningless.
"""

from collections.abc import Callable

from .function import Block, Function
from .instruction import Instruction
from .opcodes import (
    FLOAT_OPERATIONS,
    FLOAT_PREDICATES,
    INTEGER_OPERATIONS,
    INTEGER_PREDICATES,
    OPCODES,
    ORDERINGS,
)
from .types import (
    I1,
    I32,
    LABEL,
    METADATA,
    VOID,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    StructType,
    Type,
    VectorType,
    member_type,
    with_shape_of,
)
from .values import ConstantAggregate, ConstantInt, ConstantZero, MetadataOperand, Poison, Undef, Value
from .verify_constants import Problems, cast_problems, gep_problems, is_first_class, is_sized


def type_problems(instruction: Instruction) -> Problems:
    """Yield the problems of the types, flags and attributes of an instruction."""
    info = OPCODES.get(instruction.opcode)
    if info is None:
        yield f"unknown opcode {instruction.opcode!r}"
        return
    for flag in instruction.flags:
        if flag not in info.flags:
            yield f"{instruction.opcode} cannot carry the flag {flag!r}"
    if len(set(instruction.flags)) != len(instruction.flags):
        yield "a flag is given twice"
    yield from _RULES[info.form](instruction)


def type_key(instruction: Instruction) -> tuple[object, ...] | None:
    """Return everything that `type_problems` depends on, or None if that is too much for a key.

    Most instructions have the key of an earlier one, so verifying each key once suffices.
    """
    opcode = instruction.opcode
    info = OPCODES.get(opcode)
    if info is None:
        return None
    types = [operand.type for operand in instruction.operands]
    if info.form in _JUDGED_BY_TYPES:
        predicate = instruction.attributes.get("predicate")
        return opcode, instruction.type, instruction.flags, predicate, *types
    attributes = instruction.attributes
    if info.form in ("load", "store") and "ordering" not in attributes and not attributes.get("atomic"):
        align = attributes.get("align")
        return opcode, instruction.type, instruction.flags, align.__class__, align, *types
    return None


def _count(i: Instruction, *allowed: int) -> Problems:
    if len(i.operands) not in allowed:
        yield f"{i.opcode} has {len(i.operands)} operands, not {' or '.join(map(str, allowed))}"


def _all_values(i: Instruction, values: list[Value]) -> Problems:
    for value in values:
        if not is_first_class(value.type):
            yield f"an operand of type {value.type}"


def _result(i: Instruction, type: Type) -> Problems:
    if i.type is not type:
        yield f"the result is {i.type}, not {type}"


def _ret(i: Instruction) -> Problems:
    yield from _result(i, VOID)
    fn = i.block.function if i.block is not None else None
    if fn is None:
        return
    wanted = fn.function_type.result
    if wanted is VOID:
        if i.operands:
            yield "a void function returns a value"
    elif len(i.operands) != 1:
        yield f"a function of type {wanted} returns no value"
    elif i.operands[0].type is not wanted:
        yield f"a function of type {wanted} returns {i.operands[0].type}"


def _br(i: Instruction) -> Problems:
    yield from _result(i, VOID)
    yield from _count(i, 1, 3)
    if len(i.operands) == 3 and i.operands[0].type is not I1:
        yield f"the condition is {i.operands[0].type}, not i1"
    for target in i.operands if len(i.operands) == 1 else i.operands[1:]:
        if not isinstance(target, Block):
            yield f"a target is {target!r}, not a block"


def _switch(i: Instruction) -> Problems:
    yield from _result(i, VOID)
    if len(i.operands) < 2 or len(i.operands) % 2:
        yield "switch needs a value, a default block, and pairs of case and block"
        return
    type = i.operands[0].type
    if not isinstance(type, IntType):
        yield f"the value is {type}, not an integer"
    for target in [i.operands[1], *i.operands[3::2]]:
        if not isinstance(target, Block):
            yield f"a target is {target!r}, not a block"
    seen: set[int] = set()
    for case in i.operands[2::2]:
        if not isinstance(case, ConstantInt) or case.type is not type:
            yield f"a case is {case!r}, not a constant of type {type}"
        elif case.value in seen:
            yield f"the case {case.signed} stands twice"
        else:
            seen.add(case.value)


def _unreachable(i: Instruction) -> Problems:
    yield from _result(i, VOID)
    yield from _count(i, 0)


def _unary(i: Instruction) -> Problems:
    yield from _count(i, 1)
    if len(i.operands) == 1:
        if i.opcode == "fneg" and not i.operands[0].type.scalar.is_float:
            yield f"fneg of {i.operands[0].type}"
        yield from _all_values(i, i.operands)
        yield from _result(i, i.operands[0].type)


def _binary(i: Instruction) -> Problems:
    yield from _count(i, 2)
    if len(i.operands) != 2:
        return
    left, right = i.operands
    if left.type is not right.type:
        yield f"operands of different types {left.type} and {right.type}"
    is_float = i.opcode[0] == "f"
    if not isinstance(left.type.scalar, FloatType if is_float else IntType):
        yield f"{i.opcode} of {left.type}"
    yield from _result(i, left.type)


def _compare(i: Instruction) -> Problems:
    yield from _count(i, 2)
    if len(i.operands) != 2:
        return
    left, right = i.operands
    if left.type is not right.type:
        yield f"operands of different types {left.type} and {right.type}"
    integers = i.opcode == "icmp"
    if not isinstance(left.type.scalar, IntType | PointerType if integers else FloatType):
        yield f"{i.opcode} of {left.type}"
    if i.attributes.get("predicate") not in (INTEGER_PREDICATES if integers else FLOAT_PREDICATES):
        yield f"{i.attributes.get('predicate')!r} is no predicate of {i.opcode}"
    yield from _result(i, with_shape_of(left.type, I1))


def _cast(i: Instruction) -> Problems:
    yield from _count(i, 1)
    if len(i.operands) == 1:
        yield from cast_problems(i.opcode, i.operands[0].type, i.type)


def _phi(i: Instruction) -> Problems:
    if not is_first_class(i.type):
        yield f"a phi of type {i.type}"
    if len(i.operands) % 2:
        yield "a phi needs pairs of value and block"
        return
    for value, block in zip(i.operands[::2], i.operands[1::2], strict=True):
        if value.type is not i.type:
            yield f"a phi of type {i.type} takes a value of type {value.type}"
        if not isinstance(block, Block):
            yield f"a phi takes a value from {block!r}, which is not a block"


def _select(i: Instruction) -> Problems:
    yield from _count(i, 3)
    if len(i.operands) != 3:
        return
    condition, yes, no = i.operands
    if yes.type is not no.type:
        yield f"alternatives of different types {yes.type} and {no.type}"
    if condition.type is not I1 and condition.type is not with_shape_of(yes.type, I1):
        yield f"the condition is {condition.type} for alternatives of type {yes.type}"
    yield from _all_values(i, [yes])
    yield from _result(i, yes.type)


def _extractelement(i: Instruction) -> Problems:
    yield from _count(i, 2)
    if len(i.operands) != 2:
        return
    vector, index = i.operands
    if not isinstance(vector.type, VectorType) or not isinstance(index.type, IntType):
        yield f"extractelement of {vector.type} at {index.type}"
    yield from _result(i, vector.type.scalar)


def _insertelement(i: Instruction) -> Problems:
    yield from _count(i, 3)
    if len(i.operands) != 3:
        return
    vector, element, index = i.operands
    if not isinstance(vector.type, VectorType) or not isinstance(index.type, IntType):
        yield f"insertelement into {vector.type} at {index.type}"
    elif element.type is not vector.type.element:
        yield f"insertelement of {element.type} into {vector.type}"
    yield from _result(i, vector.type)


def _shufflevector(i: Instruction) -> Problems:
    yield from _count(i, 3)
    if len(i.operands) != 3:
        return
    left, right, mask = i.operands
    if not isinstance(left.type, VectorType) or left.type is not right.type:
        yield f"shufflevector of {left.type} and {right.type}"
        return
    if not isinstance(mask.type, VectorType) or mask.type.element is not I32:
        yield f"the mask is {mask.type}, not a vector of i32"
        return
    yield from _result(i, VectorType(left.type.element, mask.type.count))
    if isinstance(mask, ConstantZero | Undef | Poison):
        return
    if not isinstance(mask, ConstantAggregate):
        yield "the mask is not a constant"
        return
    for element in mask.elements:
        if isinstance(element, ConstantInt):
            if element.value >= 2 * left.type.count:
                yield f"the mask names element {element.value} of {2 * left.type.count}"
        elif not isinstance(element, Undef | Poison):
            yield f"the mask holds {element!r}"


def _member(i: Instruction) -> Problems:
    inserting = i.opcode == "insertvalue"
    yield from _count(i, 2 if inserting else 1)
    indices = i.attributes.get("indices")
    if not i.operands or not indices:
        yield f"{i.opcode} without indices"
        return
    aggregate = i.operands[0].type
    try:
        member = member_type(aggregate, indices)
    except (TypeError, IndexError) as error:
        yield f"{aggregate} has no member {indices}: {error}"
        return
    if inserting and len(i.operands) == 2 and i.operands[1].type is not member:
        yield f"member {indices} of {aggregate} is {member}, not {i.operands[1].type}"
    yield from _result(i, aggregate if inserting else member)


def _alignment(i: Instruction, required: bool = False) -> Problems:
    align = i.attributes.get("align")
    if align is None:
        if required:
            yield f"an atomic {i.opcode} needs an alignment"
    elif not isinstance(align, int) or align < 1 or align & (align - 1):
        yield f"the alignment {align} is no power of two"


def _alloca(i: Instruction) -> Problems:
    yield from _count(i, 0, 1)
    allocated = i.attributes.get("allocated")
    if not isinstance(allocated, Type) or not is_sized(allocated):
        yield f"alloca of {allocated}"
    if i.operands and not isinstance(i.operands[0].type, IntType):
        yield f"the count is {i.operands[0].type}"
    yield from _result(i, PointerType(i.attributes.get("addrspace", 0)))
    yield from _alignment(i)


def _pointer(value: Value, opcode: str) -> Problems:
    if not isinstance(value.type, PointerType):
        yield f"{opcode} through {value.type}"


def _ordering(i: Instruction, key: str, forbidden: tuple[str, ...]) -> Problems:
    ordering = i.attributes.get(key)
    if ordering not in ORDERINGS or ordering in forbidden:
        yield f"{i.opcode} cannot have the ordering {ordering!r}"


def _access(i: Instruction) -> Problems:
    store = i.opcode == "store"
    yield from _count(i, 2 if store else 1)
    if len(i.operands) != (2 if store else 1):
        return
    accessed = i.operands[0].type if store else i.type
    if not is_sized(accessed):
        yield f"{i.opcode} of {accessed}"
    yield from _pointer(i.operands[-1], i.opcode)
    atomic = bool(i.attributes.get("atomic"))
    yield from _alignment(i, required=atomic)
    if atomic:
        yield from _ordering(i, "ordering", ("acquire" if store else "release", "acq_rel"))
        if not isinstance(accessed.scalar, IntType | FloatType | PointerType):
            yield f"an atomic {i.opcode} of {accessed}"
    elif "ordering" in i.attributes:
        yield f"{i.opcode} has an ordering but is not atomic"
    if store:
        yield from _result(i, VOID)


def _fence(i: Instruction) -> Problems:
    yield from _count(i, 0)
    yield from _result(i, VOID)
    yield from _ordering(i, "ordering", ("unordered", "monotonic"))


def _cmpxchg(i: Instruction) -> Problems:
    yield from _count(i, 3)
    if len(i.operands) != 3:
        return
    pointer, old, new = i.operands
    yield from _pointer(pointer, i.opcode)
    if old.type is not new.type or not isinstance(old.type, IntType | PointerType):
        yield f"cmpxchg of {old.type} and {new.type}"
    yield from _ordering(i, "success", ("unordered",))
    yield from _ordering(i, "failure", ("unordered", "release", "acq_rel"))
    yield from _alignment(i)
    yield from _result(i, StructType((old.type, I1)))


def _atomicrmw(i: Instruction) -> Problems:
    yield from _count(i, 2)
    if len(i.operands) != 2:
        return
    yield from _pointer(i.operands[0], i.opcode)
    type = i.operands[1].type
    operation = i.attributes.get("operation")
    if operation == "xchg":
        fits = isinstance(type, IntType | FloatType | PointerType)
    elif operation in INTEGER_OPERATIONS:
        fits = isinstance(type, IntType)
    else:
        fits = operation in FLOAT_OPERATIONS and isinstance(type.scalar, FloatType)
    if not fits:
        yield f"atomicrmw {operation} of {type}"
    yield from _ordering(i, "ordering", ("unordered",))
    yield from _alignment(i)
    yield from _result(i, type)


def _getelementptr(i: Instruction) -> Problems:
    yield from gep_problems(i.attributes.get("element_type"), i.operands, i.type)


def _call(i: Instruction) -> Problems:
    function_type = i.attributes.get("function_type")
    if not isinstance(function_type, FunctionType) or not i.operands:
        yield "call needs a function type and a callee"
        return
    if not isinstance(i.callee.type, PointerType):
        yield f"the callee is {i.callee.type}, not a pointer"
    if isinstance(i.callee, Function) and i.callee.function_type is not function_type:
        yield f"@{i.callee.name} is {i.callee.function_type}, called as {function_type}"
    bundled = sum(count for _, count in i.attributes.get("bundles", ()))
    if bundled > len(i.operands) - 1:
        yield f"the operand bundles take {bundled} operands of {len(i.operands) - 1}"
        return
    arguments = i.arguments
    wanted = function_type.parameters
    if len(arguments) != len(wanted) and not (function_type.vararg and len(arguments) > len(wanted)):
        yield f"{len(arguments)} arguments for {len(wanted)} parameters"
    for number, (argument, parameter) in enumerate(zip(arguments, wanted, strict=False)):
        if argument.type is not parameter:
            yield f"argument {number} is {argument.type}, not {parameter}"
    for argument in arguments:
        if argument.type in (VOID, LABEL) or (
            argument.type is METADATA and not isinstance(argument, MetadataOperand)
        ):
            yield f"{argument!r} cannot be an argument"
    extra = i.attributes.get("argument_attributes")
    if extra and len(extra) != len(arguments):
        yield f"attributes for {len(extra)} of {len(arguments)} arguments"
    yield from _result(i, function_type.result)


# The forms whose rules depend only on types and the predicate.
_JUDGED_BY_TYPES = frozenset(
    ("unary", "freeze", "binary", "compare", "cast", "select", "extractelement", "insertelement")
)

_RULES: dict[str, Callable[[Instruction], Problems]] = {
    "ret": _ret, "br": _br, "switch": _switch, "unreachable": _unreachable,
    "unary": _unary, "freeze": _unary, "binary": _binary, "compare": _compare, "cast": _cast,
    "phi": _phi, "select": _select, "call": _call,
    "extractelement": _extractelement, "insertelement": _insertelement, "shufflevector": _shufflevector,
    "extractvalue": _member, "insertvalue": _member,
    "alloca": _alloca, "load": _access, "store": _access, "fence": _fence, "cmpxchg": _cmpxchg,
    "atomicrmw": _atomicrmw, "getelementptr": _getelementptr,
}  # fmt: skip
