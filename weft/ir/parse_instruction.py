"""Parse one instruction of LLVM's textual IR."""

from collections.abc import Callable
from typing import Any

from .instruction import Instruction
from .lexer import Cursor, unquote
from .opcodes import (
    ATOMIC_OPERATIONS,
    FLOAT_PREDICATES,
    INTEGER_PREDICATES,
    OPCODES,
    ORDERINGS,
)
from .operand_parser import OperandParser, Scope
from .types import (
    I1,
    LABEL,
    METADATA,
    VOID,
    FunctionType,
    PointerType,
    StructType,
    VectorType,
    member_type,
    with_shape_of,
)
from .values import InlineAsm, MetadataOperand, Value


def parse_instruction(cursor: Cursor, operands: OperandParser, scope: Scope) -> Instruction:
    """Parse an instruction, after its name."""
    opcode = cursor.next()
    tail = ""
    if opcode in ("tail", "musttail", "notail"):
        tail = opcode
        opcode = cursor.next()
    info = OPCODES.get(opcode)
    if info is None:
        raise cursor.error(f"unknown instruction {opcode!r}")
    tokens = cursor.tokens
    flags: tuple[str, ...] = ()
    if info.flags:
        start = cursor.index
        while tokens[cursor.index] in info.flags:
            cursor.index += 1
        flags = tuple(tokens[start : cursor.index])
    instruction = _READERS[info.form](opcode, cursor, operands, scope)
    instruction.flags = flags
    if tail:
        instruction.attributes["tail"] = tail
    while tokens[cursor.index]:
        cursor.expect(",")
        token = cursor.next()
        if token[0] == "!":
            instruction.metadata[unquote(token)] = operands.metadata_text(cursor)
        elif token == "align":
            instruction.attributes["align"] = cursor.integer()
        elif token == "addrspace" and opcode == "alloca":
            instruction.attributes["addrspace"] = cursor.bracketed_integer()
            instruction.type = PointerType(instruction.attributes["addrspace"])
        else:
            raise cursor.error(f"unexpected {token!r}")
    return instruction


def _ret(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    if c.accept("void"):
        return Instruction(opcode, VOID, [])
    return Instruction(opcode, VOID, [o.typed(c, s)])


def _br(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    values = [o.typed(c, s)]
    if values[0].type is not LABEL:
        for _ in range(2):
            c.expect(",")
            values.append(o.typed(c, s))
    return Instruction(opcode, VOID, values)


def _switch(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    values = [o.typed(c, s)]
    c.expect(",")
    values.append(o.typed(c, s))
    c.expect("[")
    while not c.accept("]"):
        values.append(o.typed(c, s))
        c.expect(",")
        values.append(o.typed(c, s))
    return Instruction(opcode, VOID, values)


def _unreachable(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    return Instruction(opcode, VOID, [])


def _unary(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    value = o.typed(c, s)
    return Instruction(opcode, value.type, [value])


def _binary(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    type = o.type(c)
    left = o.operand(c, type, s)
    c.expect(",")
    return Instruction(opcode, type, [left, o.operand(c, type, s)])


def _compare(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    predicate = c.one_of(INTEGER_PREDICATES if opcode == "icmp" else FLOAT_PREDICATES, "a predicate")
    type = o.type(c)
    left = o.operand(c, type, s)
    c.expect(",")
    values = [left, o.operand(c, type, s)]
    return Instruction(opcode, with_shape_of(type, I1), values, attributes={"predicate": predicate})


def _cast(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    value = o.typed(c, s)
    c.expect("to")
    return Instruction(opcode, o.type(c), [value])


def _phi(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    type = o.type(c)
    values: list[Value] = []
    while True:
        c.expect("[")
        values.append(o.operand(c, type, s))
        c.expect(",")
        values.append(o.block(c, s))
        c.expect("]")
        if c.tokens[c.index + 1] != "[":
            break
        c.expect(",")
    return Instruction(opcode, type, values)


def _typed_list(c: Cursor, o: OperandParser, s: Scope, count: int) -> list[Value]:
    values = [o.typed(c, s)]
    for _ in range(count - 1):
        c.expect(",")
        values.append(o.typed(c, s))
    return values


def _select(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    values = _typed_list(c, o, s, 3)
    return Instruction(opcode, values[1].type, values)


def _extractelement(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    values = _typed_list(c, o, s, 2)
    return Instruction(opcode, values[0].type.scalar, values)


def _insertelement(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    values = _typed_list(c, o, s, 3)
    return Instruction(opcode, values[0].type, values)


def _shufflevector(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    values = _typed_list(c, o, s, 3)
    mask = values[2].type
    if not isinstance(mask, VectorType):
        raise c.error(f"the mask is {mask}, not a vector")
    return Instruction(opcode, VectorType(values[0].type.scalar, mask.count), values)


def _indices(c: Cursor) -> tuple[int, ...]:
    indices = []
    while c.peek() == "," and c.tokens[c.index + 1].isdigit():
        c.next()
        indices.append(int(c.next()))
    return tuple(indices)


def _extractvalue(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    value = o.typed(c, s)
    indices = _indices(c)
    try:
        type = member_type(value.type, indices)
    except (TypeError, IndexError) as error:
        raise c.error(f"{value.type} has no member {indices}") from error
    return Instruction(opcode, type, [value], attributes={"indices": indices})


def _insertvalue(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    values = _typed_list(c, o, s, 2)
    return Instruction(opcode, values[0].type, values, attributes={"indices": _indices(c)})


def _alloca(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    attributes: dict[str, Any] = {}
    if c.accept("inalloca"):
        raise c.error("inalloca is not supported")
    attributes["allocated"] = o.type(c)
    count: list[Value] = []
    if c.peek() == "," and c.tokens[c.index + 1][:1] == "i":
        c.next()
        count = [o.typed(c, s)]
    return Instruction(opcode, PointerType(0), count, attributes=attributes)


def _atomic_tail(c: Cursor, attributes: dict[str, Any], keys: tuple[str, ...]) -> None:
    if c.accept("syncscope"):
        attributes["syncscope"] = c.balanced()[1:-1]
    for key in keys:
        attributes[key] = c.one_of(ORDERINGS, "an ordering")


def _memory_flags(c: Cursor) -> dict[str, Any]:
    return {word: True for word in ("atomic", "volatile") if c.accept(word)}


def _load(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    attributes = _memory_flags(c)
    type = o.type(c)
    c.expect(",")
    pointer = o.typed(c, s)
    if attributes.get("atomic"):
        _atomic_tail(c, attributes, ("ordering",))
    return Instruction(opcode, type, [pointer], attributes=attributes)


def _store(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    attributes = _memory_flags(c)
    values = _typed_list(c, o, s, 2)
    if attributes.get("atomic"):
        _atomic_tail(c, attributes, ("ordering",))
    return Instruction(opcode, VOID, values, attributes=attributes)


def _fence(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    attributes: dict[str, Any] = {}
    _atomic_tail(c, attributes, ("ordering",))
    return Instruction(opcode, VOID, [], attributes=attributes)


def _cmpxchg(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    attributes: dict[str, Any] = {word: True for word in ("weak", "volatile") if c.accept(word)}
    values = _typed_list(c, o, s, 3)
    _atomic_tail(c, attributes, ("success", "failure"))
    return Instruction(opcode, StructType((values[1].type, I1)), values, attributes=attributes)


def _atomicrmw(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    attributes: dict[str, Any] = {"volatile": True} if c.accept("volatile") else {}
    attributes["operation"] = c.one_of(ATOMIC_OPERATIONS, "an operation")
    values = _typed_list(c, o, s, 2)
    _atomic_tail(c, attributes, ("ordering",))
    return Instruction(opcode, values[1].type, values, attributes=attributes)


def _getelementptr(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    attributes: dict[str, Any] = {}
    if c.accept("inrange"):
        attributes["inrange"] = c.balanced()
    attributes["element_type"] = o.type(c)
    values: list[Value] = []
    while c.peek() == "," and c.tokens[c.index + 1][:1] != "!":
        c.next()
        values.append(o.typed(c, s))
    if not values:
        raise c.error("getelementptr without a pointer")
    type = values[0].type
    for index in values[1:]:
        if isinstance(index.type, VectorType) and not isinstance(type, VectorType):
            type = VectorType(type, index.type.count)
    return Instruction(opcode, type, values, attributes=attributes)


def _call(opcode: str, c: Cursor, o: OperandParser, s: Scope) -> Instruction:
    attributes: dict[str, Any] = {}
    prefix = []
    while not o.starts_type(c):
        prefix.append(_attribute(c))
    type = o.type(c)
    callee: Value
    if c.accept("asm"):
        words = ["asm"]
        while c.peek() != "(":
            words.append(c.next())
        callee = InlineAsm(" ".join(words).replace(" ,", ","))
    else:
        callee = o.operand(c, PointerType(0), s)
    c.expect("(")
    values: list[Value] = []
    argument_attributes = []
    while not c.accept(")"):
        argument_type = o.type(c)
        words = []
        if argument_type is METADATA:
            values.append(MetadataOperand(METADATA, o.metadata_text(c)))
        else:
            while c.peek()[:1].isalpha() and not _starts_constant(c):
                words.append(_attribute(c))
            values.append(o.operand(c, argument_type, s))
        argument_attributes.append(tuple(words))
        c.accept(",")
    if isinstance(type, FunctionType):
        function_type = type
    else:
        function_type = FunctionType(type, tuple(v.type for v in values))
    suffix = []
    while c.peek() not in ("", ",", "["):
        suffix.append(_attribute(c))
    bundles = _bundles(c, o, s, values) if c.peek() == "[" else ()
    if prefix:
        attributes["prefix"] = tuple(prefix)
    if any(argument_attributes):
        attributes["argument_attributes"] = tuple(argument_attributes)
    if suffix:
        attributes["suffix"] = tuple(suffix)
    if bundles:
        attributes["bundles"] = bundles
    attributes["function_type"] = function_type
    return Instruction(opcode, function_type.result, [*values, callee], attributes=attributes)


def _bundles(c: Cursor, o: OperandParser, s: Scope, values: list[Value]) -> tuple[tuple[str, int], ...]:
    """Parse `[ "tag"(type value, …), … ]`, appending the operands to `values`."""
    bundles = []
    c.expect("[")
    while not c.accept("]"):
        tag = c.next()[1:-1]
        before = len(values)
        c.expect("(")
        while not c.accept(")"):
            values.append(o.typed(c, s))
            c.accept(",")
        bundles.append((tag, len(values) - before))
        c.accept(",")
    return tuple(bundles)


_CONSTANT_WORDS = frozenset(
    [
        "true",
        "false",
        "null",
        "undef",
        "poison",
        "zeroinitializer",
        "none",
        "splat",
        "getelementptr",
        "ptrtoint",
        "inttoptr",
        "bitcast",
        "addrspacecast",
        "trunc",
        "add",
        "sub",
        "xor",
        "c",
        "blockaddress",
        "dso_local_equivalent",
        "no_cfi",
    ]
)


def _starts_constant(c: Cursor) -> bool:
    token = c.peek()
    return token in _CONSTANT_WORDS or token.startswith('c"')


def _attribute(c: Cursor) -> str:
    token = c.next()
    if c.peek() == "(" and token[0] != "#":
        return token + c.balanced()
    if token == "align":
        return f"align {c.next()}"
    if c.peek() == "=":
        c.next()
        return f"{token}={c.next()}"
    return token


_READERS: dict[str, Callable[[str, Cursor, OperandParser, Scope], Instruction]] = {
    "ret": _ret,
    "br": _br,
    "switch": _switch,
    "unreachable": _unreachable,
    "unary": _unary,
    "freeze": _unary,
    "binary": _binary,
    "compare": _compare,
    "cast": _cast,
    "phi": _phi,
    "select": _select,
    "call": _call,
    "extractelement": _extractelement,
    "insertelement": _insertelement,
    "shufflevector": _shufflevector,
    "extractvalue": _extractvalue,
    "insertvalue": _insertvalue,
    "alloca": _alloca,
    "load": _load,
    "store": _store,
    "fence": _fence,
    "cmpxchg": _cmpxchg,
    "atomicrmw": _atomicrmw,
    "getelementptr": _getelementptr,
}
