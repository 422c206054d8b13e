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
pointers become those of the space (`has_builtin` says which exist), and address-space tests become constants.
Pointers from memory, integers, calls and several spaces stay generic.

The forward problem is that of LLVM's InferAddressSpaces: a lattice of unknown, one space, generic;
optimistic. Requires SSA form; keeps LCSSA, because each pointer is replaced by one at the same place.
Linear.
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
    """What is found out about generic pointers."""

    INFERRED = "the address spaces of {count} generic pointers are inferred"


def infer_address_spaces(
    function: Function, has_builtin: Callable[[str], bool], remarks: Remarks = SILENT
) -> int:
    """Replace generic pointers by those of one space; return how many."""
    spaces = _spaces(function)
    chosen = [(i, s) for i, s in spaces.items() if s is not None and s not in (GENERIC, CONSTANT)]
    new: dict[Instruction, Value] = {}
    for old, space in chosen:
        if old.opcode == "addrspacecast":
            new[old] = old.operands[0]
            continue
        made = clone_instruction(old, {})
        made.type = PointerType(space)
        old.parent.insert_before(old, made)
        new[old] = made
    for old, space in chosen:
        copy = new[old]
        if old.opcode != "addrspacecast" and isinstance(copy, Instruction):
            for index, operand in enumerate(old.operands):
                if operand.type is _GENERIC:
                    copy.set_operand(index, _in_space(operand, space, new))
    for old, _ in chosen:
        if old.opcode != "addrspacecast":
            old.set_operands(())  # so that none of them is among the users of another
    starts: dict[Block, Instruction] = {}
    casts = [_replace(old, new[old], starts, has_builtin) for old, _ in chosen]
    for cast in casts:
        if not cast.users:
            cast.erase()
    count = len(chosen) + _rewrite_constants(function, has_builtin)
    if count:
        remarks.passed(AddressSpaces.INFERRED, count=count)
    return count


# ---- which space


def _spaces(function: Function) -> dict[Instruction, int | None]:
    """The address space of each generic pointer that is computed; None if it is null or never computed."""
    found = {i: _own_space(i) for i in function.instructions() if i.type is _GENERIC}
    work = [i for i, space in found.items() if space is not None]
    while work:
        instruction = work.pop()
        for user in instruction.users:
            if user in found:
                space = _join(found[user], found[instruction])
                if space != found[user]:
                    found[user] = space
                    work.append(user)
    return found


def _join(one: int | None, other: int | None) -> int | None:
    if one is None or one == other:
        return other
    return one if other is None else GENERIC


def _own_space(instruction: Instruction) -> int | None:
    """The space of a pointer, as far as no other instruction has a say."""
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
    """The space of a pointer that is no instruction."""
    if isinstance(value, ConstantZero | Undef | Poison):
        return None
    stem = value
    while isinstance(stem, ConstantExpression) and stem.opcode == "getelementptr":
        stem = stem.operands[0]
    if isinstance(stem, ConstantExpression) and stem.opcode == "addrspacecast":
        return _space_of_type(stem.operands[0].type)
    return GENERIC


def _space_of_type(type: Type) -> int:
    # Generic pointers do not point to constants; a program that makes them do so gets no promise of it.
    return type.space if isinstance(type, PointerType) and type.space != CONSTANT else GENERIC


# ---- values of that space


def _in_space(value: Value, space: int, new: dict[Instruction, Value]) -> Value:
    """A generic pointer that is in a space, or null, as one of that space."""
    type = PointerType(space)
    if isinstance(value, Instruction):
        made = new.get(value)
        return made if made is not None else ConstantZero(type)  # never computed but as null
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
    found: Value = stem.operands[0]
    for step in reversed(indices):
        found = ConstantExpression(step.opcode, type, [found, *step.operands[1:]], step.attributes)
    return found


# ---- users


def _replace(
    old: Instruction, new: Value, starts: dict[Block, Instruction], has_builtin: Callable[[str], bool]
) -> Instruction:
    """Lets the users of a generic pointer use one of a space; others get a cast, the result.

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
    """The same for users of variables that are cast without an instruction."""
    return sum(
        _rewrite(i, has_builtin)
        for i in list(function.instructions())
        if any(isinstance(o, ConstantExpression) and o.type is _GENERIC for o in i.operands)
    )


def _origin(value: Value) -> Value | None:
    """The pointer of one space that a generic one is cast from."""
    if isinstance(value, Instruction | ConstantExpression) and value.type is _GENERIC:
        if value.opcode == "addrspacecast" and _space_of_type(value.operands[0].type) != GENERIC:
            return value.operands[0]
        if isinstance(value, ConstantExpression) and _space_of(value) not in (None, GENERIC):
            return _in_space(value, _space_of(value) or 0, {})
    return None


def _rewrite(user: Instruction, has_builtin: Callable[[str], bool]) -> bool:
    """Has an instruction use a pointer of one space in place of one that is cast from it, if it can."""
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
    """The name of a function for pointers of other spaces; None if its name does not tell them one by one."""
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
