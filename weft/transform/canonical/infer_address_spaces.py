"""Infer the address spaces of generic pointers.

    %p = addrspacecast ptr addrspace(1) %a to ptr addrspace(4)
    %q = getelementptr float, ptr addrspace(4) %p, i64 %i
    %x = load float, ptr addrspace(4) %q
    %l = call i1 @weft.is_local(ptr addrspace(4) %q)

becomes

    %q = getelementptr float, ptr addrspace(1) %a, i64 %i
    %x = load float, ptr addrspace(1) %q

and %l is false.

Analyses distinguish private, local and global memory by the types of pointers, and treat generic ones
conservatively. A phi or select of pointers to the same space is in that space too. Built-ins on generic
pointers are replaced by those of the space (`has_builtin` tells which exist), and address-space tests become
constants. Pointers from memory, integers and calls, and those to several spaces, stay generic.

The forward problem is that of LLVM's InferAddressSpaces: a lattice of unknown, one space, generic;
optimistic. Requires SSA form; keeps LCSSA, because each pointer is replaced by one in the same block. Linear.
"""

from collections.abc import Callable
from enum import unique
from functools import reduce

from weft.ir import Block, Function, Instruction, Value
from weft.ir.address_spaces import CONSTANT, GENERIC, space_query
from weft.ir.builder import Builder
from weft.ir.clone import clone_instruction
from weft.ir.types import I1, FunctionType, PointerType, Type
from weft.ir.values import ConstantExpression, ConstantZero, Poison, Undef, const_int
from weft.lazy_pattern import lazy_pattern
from weft.remarks import SILENT, Message, Remarks

_GENERIC = PointerType(GENERIC)
_SAME = ("getelementptr", "freeze", "bitcast")
_MARK = "U9CLgeneric"
_SPELLED = ("U9CLprivate", "U8CLglobal", "", "U7CLlocal")
_MEMORY_INTRINSIC = lazy_pattern(r"(llvm\.(?:memcpy|memmove|memset)(?:\.inline)?)((?:\.p\d+)+)(\.i\d+)")


@unique
class AddressSpaces(Message):
    """What was inferred about generic pointers."""

    INFERRED = "the address spaces of {count} generic pointers are inferred"


def infer_address_spaces(
    function: Function, has_builtin: Callable[[str], bool], remarks: Remarks = SILENT
) -> int:
    """Replace generic pointers by those of one space; return their number."""
    spaces = _spaces(function)
    chosen = [(i, s) for i, s in spaces.items() if s is not None and s not in (GENERIC, CONSTANT)]
    new: dict[Instruction, Value] = {}
    for old, space in chosen:
        if old.opcode == "addrspacecast":
            new[old] = old.operands[0]
            continue
        clone = clone_instruction(old, {})
        clone.type = PointerType(space)
        old.parent.insert_before(old, clone)
        new[old] = clone
    for old, space in chosen:
        copy = new[old]
        if old.opcode != "addrspacecast" and isinstance(copy, Instruction):
            for index, operand in enumerate(old.operands):
                if operand.type is _GENERIC:
                    copy.set_operand(index, _in_space(operand, space, new))
    for old, _ in chosen:
        if old.opcode != "addrspacecast":
            old.set_operands(())  # so that no replaced instruction is a user of another
    starts: dict[Block, Instruction] = {}
    casts = [_replace(old, new[old], starts, has_builtin) for old, _ in chosen]
    for cast in casts:
        if not cast.users:
            cast.erase()
    count = len(chosen) + _rewrite_constants(function, has_builtin)
    if count:
        remarks.passed(AddressSpaces.INFERRED, count=count)
    return count


# ---- Spaces


def _spaces(function: Function) -> dict[Instruction, int | None]:
    """Return the address space of each computed generic pointer; None if it is null or never computed."""
    spaces = {i: _own_space(i) for i in function.instructions() if i.type is _GENERIC}
    work = [i for i, space in spaces.items() if space is not None]
    while work:
        instruction = work.pop()
        for user in instruction.users:
            if user in spaces:
                space = _join(spaces[user], spaces[instruction])
                if space != spaces[user]:
                    spaces[user] = space
                    work.append(user)
    return spaces


def _join(one: int | None, other: int | None) -> int | None:
    if one is None or one == other:
        return other
    return one if other is None else GENERIC


def _own_space(instruction: Instruction) -> int | None:
    """Return the space of a pointer as far as it does not depend on other instructions."""
    match instruction.opcode:
        case "addrspacecast":
            return _space_of_type(instruction.operands[0].type)
        case "phi":
            values = instruction.operands[::2]
        case "select":
            values = instruction.operands[1:]
        case opcode if opcode in _SAME:
            values = instruction.operands[:1]
        case _:
            return GENERIC
    return reduce(_join, (_space_of(v) for v in values if not isinstance(v, Instruction)), None)


def _space_of(value: Value) -> int | None:
    """Return the space of a pointer that is not an instruction."""
    if isinstance(value, ConstantZero | Undef | Poison):
        return None
    stem = value
    while isinstance(stem, ConstantExpression) and stem.opcode == "getelementptr":
        stem = stem.operands[0]
    if isinstance(stem, ConstantExpression) and stem.opcode == "addrspacecast":
        return _space_of_type(stem.operands[0].type)
    return GENERIC


def _space_of_type(type: Type) -> int:
    # Generic pointers do not point to constants; if a program makes them do so, they stay generic.
    return type.space if isinstance(type, PointerType) and type.space != CONSTANT else GENERIC


# ---- Values of that space


def _in_space(value: Value, space: int, new: dict[Instruction, Value]) -> Value:
    """Return a generic pointer that is null or in a space as a pointer of that space."""
    type = PointerType(space)
    if isinstance(value, Instruction):
        replaced = new.get(value)
        return replaced if replaced is not None else ConstantZero(type)  # never computed except as null
    if isinstance(value, Undef):
        return Undef(type)
    if isinstance(value, Poison):
        return Poison(type)
    indices = []
    stem = value
    while isinstance(stem, ConstantExpression) and stem.opcode == "getelementptr":
        indices.append(stem)
        stem = stem.operands[0]
    if not isinstance(stem, ConstantExpression):
        return ConstantZero(type)
    pointer: Value = stem.operands[0]
    for step in reversed(indices):
        pointer = ConstantExpression(step.opcode, type, [pointer, *step.operands[1:]], step.attributes)
    return pointer


# ---- Users


def _replace(
    old: Instruction, new: Value, starts: dict[Block, Instruction], has_builtin: Callable[[str], bool]
) -> Instruction:
    """Let the users of a generic pointer use one of a space; other users get a cast, which is returned.

    `starts` has the first cast after the phis of each block.
    """
    if old.opcode == "addrspacecast":
        back = old
    else:
        block, place = old.parent, old
        if old.opcode == "phi":
            place = starts[block] if block in starts else block.instructions[block.first_non_phi]
        back = Builder(block, place).emit("addrspacecast", _GENERIC, [new])
        if old.opcode == "phi":
            starts[block] = back
        old.replace_all_uses_with(back)
        old.erase()
    for user in list(back.users):
        _rewrite(user, has_builtin)
    return back


def _rewrite_constants(function: Function, has_builtin: Callable[[str], bool]) -> int:
    """Rewrite users of variables that are cast by constant expressions; return their number."""
    return sum(
        _rewrite(i, has_builtin)
        for i in list(function.instructions())
        if any(isinstance(o, ConstantExpression) and o.type is _GENERIC for o in i.operands)
    )


def _origin(value: Value) -> Value | None:
    """Return the pointer to one space that a generic one is cast from."""
    if isinstance(value, Instruction | ConstantExpression) and value.type is _GENERIC:
        if value.opcode == "addrspacecast" and _space_of_type(value.operands[0].type) != GENERIC:
            return value.operands[0]
        if isinstance(value, ConstantExpression) and _space_of(value) not in (None, GENERIC):
            return _in_space(value, _space_of(value) or 0, {})
    return None


def _rewrite(user: Instruction, has_builtin: Callable[[str], bool]) -> bool:
    """Let an instruction use a pointer to one space instead of a cast of it, if possible."""
    match user.opcode:
        case "load" | "atomicrmw" | "cmpxchg" | "ptrtoint":
            return _set(user, 0)
        case "store":
            return _set(user, 1)
        case "icmp":
            return _compare(user)
        case "addrspacecast":
            origin = _origin(user.operands[0])
            if origin is not None and origin.type is user.type:
                user.replace_all_uses_with(origin)
                user.erase()
                return True
        case "call":
            return _call(user, has_builtin)
    return False


def _set(user: Instruction, index: int) -> bool:
    origin = _origin(user.operands[index])
    if origin is None:
        return False
    user.set_operand(index, origin)
    return True


def _compare(user: Instruction) -> bool:
    left, right = (v if isinstance(v, ConstantZero) else _origin(v) for v in user.operands)
    if left is None or right is None:
        return False
    types = {v.type for v in (left, right) if not isinstance(v, ConstantZero)}
    if len(types) != 1:
        return False
    (type,) = types
    user.set_operands([ConstantZero(type) if isinstance(v, ConstantZero) else v for v in (left, right)])
    return True


def _call(call: Instruction, has_builtin: Callable[[str], bool]) -> bool:
    space = space_query(call)
    if space is not None:
        origin = _origin(call.arguments[0])
        if origin is None:
            return False
        result = const_int(I1, _space_of_type(origin.type) == space)
        call.replace_all_uses_with(result)
        call.erase()
        return True
    callee = call.called_function
    if callee is None or not callee.is_declaration:
        return False
    generic = [n for n, a in enumerate(call.arguments) if a.type is _GENERIC]
    origins = {n: origin for n in generic if (origin := _origin(call.arguments[n])) is not None}
    symbol = _symbol(callee, generic, origins) if origins else None
    if symbol is None or not (symbol.startswith("llvm.") or has_builtin(symbol)):
        return False
    type = callee.function_type
    parameters = list(type.parameters)
    for n, origin in origins.items():
        parameters[n] = origin.type
        call.set_operand(n, origin)
    changed = FunctionType(type.result, tuple(parameters), type.vararg)
    call.attributes["function_type"] = changed
    call.set_operand(len(call.operands) - 1, callee.parent.declare(symbol, changed, callee.suffix))
    return True


def _symbol(callee: Function, generic: list[int], origins: dict[int, Value]) -> str | None:
    """Return the name of a function for pointers to other spaces; None if it does not encode each of them."""
    name = callee.name or ""
    named = {n: _space_of_type(o.type) for n, o in origins.items()}
    if match := _MEMORY_INTRINSIC.fullmatch(name):
        spaces = match[2].split(".")[1:]
        return match[1] + "".join(f".p{named.get(n, int(s[1:]))}" for n, s in enumerate(spaces)) + match[3]
    parts = name.split(_MARK)
    if not name.startswith("_Z") or len(parts) != len(generic) + 1:
        return None
    marks = [_SPELLED[named[n]] if n in named else _MARK for n in generic]
    return parts[0] + "".join(mark + part for mark, part in zip(marks, parts[1:], strict=True))
