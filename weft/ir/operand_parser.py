"""Parse types, constants and operands of LLVM's textual IR."""

from weft.lazy_pattern import lazy_pattern
from weft.recursion import Steps, run

from .function import Block, Function, Module
from .lexer import Cursor, ParseError, local_key, string_bytes, unquote
from .opcodes import CASTS
from .types import (
    LABEL,
    METADATA,
    OPAQUE,
    TOKEN,
    VOID,
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    NamedType,
    PointerType,
    StructType,
    TargetType,
    Type,
    VectorType,
)
from .values import (
    Constant,
    ConstantAggregate,
    ConstantExpression,
    ConstantFloat,
    ConstantInt,
    ConstantString,
    ConstantZero,
    MetadataOperand,
    Poison,
    Undef,
    Value,
    float_bits_of_double,
    float_to_bits,
    zero_of,
)

_WORD_TYPES: dict[str, Type] = {
    "void": VOID, "label": LABEL, "metadata": METADATA, "token": TOKEN, "opaque": OPAQUE,
    "half": FloatType("half"), "bfloat": FloatType("bfloat"), "float": FloatType("float"),
    "double": FloatType("double"), "x86_fp80": FloatType("x86_fp80"), "fp128": FloatType("fp128"),
    "ptr": PointerType(0),
}  # fmt: skip
for _bits in (1, 8, 16, 32, 64, 128):
    _WORD_TYPES[f"i{_bits}"] = IntType(_bits)

_HEXADECIMAL_KINDS = {"H": "half", "R": "bfloat", "K": "x86_fp80", "L": "fp128"}
_OPENING = {"<": ">", "[": "]", "{": "}"}
_HEXADECIMAL_INTEGER = lazy_pattern(r"([us])0x([0-9A-Fa-f]+)$")


class _Forward(Value):
    """A placeholder for a value that is used before it is defined."""

    __slots__ = ()


class Scope:
    """Local references of the function that is being parsed, by their text (see `local_key`)."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}
        self.blocks: dict[str, Block] = {}
        self.forward: dict[str, _Forward] = {}
        self.counter = 0  # the number that LLVM would give to the next unnamed value

    def block(self, key: str) -> Block:
        """Return the block of a label; create it at its first mention."""
        block = self.blocks.get(key)
        if block is None:
            block = self.blocks[key] = Block()
        return block

    def define(self, key: str, value: Value, line: str) -> None:
        """Bind a reference to a value."""
        if key in self.values or value.type is VOID:
            raise ParseError(
                f"{key} is {'defined twice' if key in self.values else 'void'} in: {line.strip()}"
            )
        self.values[key] = value
        if self.forward:
            stand_in = self.forward.pop(key, None)
            if stand_in is not None:
                if stand_in.type is not value.type:
                    raise ParseError(f"{key} is used as {stand_in.type} before: {line.strip()}")
                stand_in.replace_all_uses_with(value)

    def finish(self, function: Function) -> None:
        """Check that everything that is used is defined."""
        for key in self.forward:
            raise ParseError(f"{key} is used but not defined in @{function.name}")
        for key, block in self.blocks.items():
            if block.function is None:
                raise ParseError(f"block {key} is used but not defined in @{function.name}")


class OperandParser:
    """Parses types and operands in the context of a module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._types = dict(_WORD_TYPES)  # types that are a single token

    # Types

    def starts_type(self, cursor: Cursor) -> bool:
        """Return whether a type starts at the cursor."""
        token = cursor.tokens[cursor.index]
        return (
            token in self._types
            or token in ("<", "[", "{", "target")
            or token[:1] == "%"
            or token[:4] == "ptr "
            or (token[:1] == "<" and len(token) > 1)
            or (token[:1] == "i" and token[1:].isdigit())
        )

    def type(self, cursor: Cursor) -> Type:
        """Parse a type."""
        tokens = cursor.tokens
        result = self._types.get(tokens[cursor.index])
        if result is None:
            if tokens[cursor.index] in _OPENING:
                return run(self._nested_type(cursor))
            result = self._word_type(cursor, cursor.next())
        else:
            cursor.index += 1
        if tokens[cursor.index] == "(" and self._is_function_type(cursor):
            return run(self._function_type(cursor, result))
        return result

    def _nested_type(self, cursor: Cursor) -> Steps[Type]:
        """Parse a type that may contain others; nesting may be deep."""
        token = cursor.next()
        result: Type
        if token not in _OPENING:
            result = self._types.get(token) or self._word_type(cursor, token)
        elif token == "{":
            result = StructType((yield self._types_until(cursor, "}")))
        elif token == "<" and cursor.accept("{"):
            result = StructType((yield self._types_until(cursor, "}")), packed=True)
            cursor.expect(">")
        else:
            if cursor.peek() == "vscale":
                raise cursor.error("scalable vectors are not supported")
            count = cursor.integer()
            cursor.expect("x")
            element = yield self._nested_type(cursor)
            cursor.expect(_OPENING[token])
            result = VectorType(element, count) if token == "<" else ArrayType(element, count)
        if cursor.tokens[cursor.index] == "(" and self._is_function_type(cursor):
            result = yield self._function_type(cursor, result)
        return result

    def _word_type(self, cursor: Cursor, token: str) -> Type:
        """Return the type that a token denotes."""
        if token[:4] == "ptr ":
            result: Type = PointerType(int(token[len("ptr addrspace(") : -1]))
            self._types[token] = result
            return result
        if token[0] == "<" and len(token) > 1:
            count_text, _, element_text = token[1:-1].partition(" x ")
            result = VectorType(self.type(Cursor([element_text], cursor.line)), int(count_text))
            self._types[token] = result
            return result
        if token[0] == "%":
            name = unquote(token)
            named = self.module.types.get(name)
            if named is None:
                named = self.module.types[name] = NamedType(name)
            return named
        if token[0] == "i" and token[1:].isdigit():
            return IntType(int(token[1:]))
        if token == "target":
            return TargetType("target" + cursor.balanced())
        raise cursor.error(f"expected a type, found {token!r}")

    def _types_until(self, cursor: Cursor, end: str) -> Steps[tuple[Type, ...]]:
        fields: list[Type] = []
        while not cursor.accept(end):
            fields.append((yield self._nested_type(cursor)))
            cursor.accept(",")
        return tuple(fields)

    def _is_function_type(self, cursor: Cursor) -> bool:
        # After a type, only a parameter list may start with a parenthesis and a type; `()` and `(...)` count.
        following = cursor.tokens[cursor.index + 1]
        if following in (")", "..."):
            return True
        probe = Cursor(cursor.tokens, cursor.line)
        probe.index = cursor.index + 1
        return self.starts_type(probe)

    def _function_type(self, cursor: Cursor, result: Type) -> Steps[Type]:
        cursor.expect("(")
        parameters: list[Type] = []
        vararg = False
        while not cursor.accept(")"):
            if cursor.accept("..."):
                vararg = True
            else:
                parameters.append((yield self._nested_type(cursor)))
            cursor.accept(",")
        return FunctionType(result, tuple(parameters), vararg)

    # Operands

    def typed(self, cursor: Cursor, scope: Scope) -> Value:
        """Parse `type value`."""
        type = self.type(cursor)
        return self.operand(cursor, type, scope)

    def operand(self, cursor: Cursor, type: Type, scope: Scope) -> Value:
        """Parse a value of a known type."""
        token = cursor.tokens[cursor.index]
        if token[:1] == "%":
            cursor.index += 1
            if token[1:2] == '"':
                token = local_key(token)
            if type is LABEL:
                return scope.block(token)
            value = scope.values.get(token) or scope.forward.get(token)
            if value is None:
                value = scope.forward[token] = _Forward(type, token)
            elif value.type is not type:
                raise cursor.error(f"{token} is {value.type}, used as {type}")
            return value
        if type is METADATA:
            return MetadataOperand(METADATA, self.metadata_text(cursor))
        if type is LABEL:
            raise cursor.error(f"expected a block, found {cursor.found}")
        return self.constant(cursor, type)

    def block(self, cursor: Cursor, scope: Scope) -> Block:
        """Parse a reference to a block, without the word label."""
        token = cursor.tokens[cursor.index]
        if token[:1] != "%":
            raise cursor.error(f"expected a block, found {cursor.found}")
        cursor.index += 1
        return scope.block(local_key(token))

    def constant(self, cursor: Cursor, type: Type) -> Value:
        """Parse a constant of a known type."""
        return self._plain_constant(cursor, type) or run(self._nested_constant(cursor, type))

    def _plain_constant(self, cursor: Cursor, type: Type) -> Value | None:
        """Parse a constant without operands; return None and restore the cursor if it has operands."""
        token = cursor.next()
        first = token[0]
        if first == "@":
            symbol = self.module.globals.get(unquote(token))
            if symbol is None:
                raise cursor.error(f"{token} is used but not defined")
            return symbol
        if first.isdigit() or first in "-+":
            return self._number(cursor, type, token)
        if token == "true":
            return ConstantInt(IntType(1), 1)
        if token == "false":
            return ConstantInt(IntType(1), 0)
        if token in ("null", "zeroinitializer", "none"):
            return ConstantZero(type) if token != "zeroinitializer" else zero_of(type)
        if token == "undef":
            return Undef(type)
        if token == "poison":
            return Poison(type)
        if token.startswith('c"'):
            return ConstantString(type, string_bytes(token))
        hexadecimal = _HEXADECIMAL_INTEGER.match(token)
        if hexadecimal and isinstance(type, IntType):
            return ConstantInt(type, _hexadecimal_integer(*hexadecimal.groups()))
        cursor.index -= 1
        return None

    def _nested_constant(self, cursor: Cursor, type: Type) -> Steps[Value]:
        plain = self._plain_constant(cursor, type)
        if plain is not None:
            return plain
        token = cursor.next()
        if token == "splat":
            cursor.expect("(")
            element = yield self._nested_constant(cursor, self.type(cursor))
            cursor.expect(")")
            if not isinstance(type, VectorType):
                raise cursor.error(f"splat of type {type}")
            return ConstantAggregate(type, [element] * type.count)
        if token in _OPENING:
            return (yield from self._aggregate(cursor, type, token))
        return (yield from self._expression(cursor, type, token))

    def _number(self, cursor: Cursor, type: Type, token: str) -> Constant:
        try:
            if isinstance(type, IntType):
                return ConstantInt(type, int(token))
            if isinstance(type, FloatType):
                return ConstantFloat(type, _float_bits(type.kind, token))
        except ValueError as error:
            raise cursor.error(f"{token} is not a number of type {type}") from error
        raise cursor.error(f"a number cannot be of type {type}")

    def _aggregate(self, cursor: Cursor, type: Type, token: str) -> Steps[Value]:
        body = type.body if isinstance(type, NamedType) else type
        if not isinstance(body, VectorType | ArrayType | StructType):
            raise cursor.error(f"{type} has no members")
        packed = token == "<" and cursor.peek() == "{"
        if packed:
            cursor.next()
        end = {"[": "]", "{": "}", "<": "}" if packed else ">"}[token]
        elements = []
        while not cursor.accept(end):
            inner = self.type(cursor)
            plain = self._plain_constant(cursor, inner)  # most elements of long tables are
            elements.append(plain if plain is not None else (yield self._nested_constant(cursor, inner)))
            cursor.accept(",")
        if packed:
            cursor.expect(">")
        return ConstantAggregate(type, elements)

    def _expression(self, cursor: Cursor, type: Type, opcode: str) -> Steps[Value]:
        attributes: dict[str, object] = {}
        flags = []
        while cursor.peek() not in ("(", ""):
            word = cursor.next()
            flags.append(word + (cursor.balanced() if word == "inrange" else ""))
        attributes["flags"] = tuple(flags)
        cursor.expect("(")
        operands = []
        if opcode in CASTS:
            operands.append((yield self._nested_constant(cursor, self.type(cursor))))
            cursor.expect("to")
            self.type(cursor)
        elif opcode in ("add", "sub", "xor", "getelementptr", "shl", "mul"):
            if opcode == "getelementptr":
                attributes["element_type"] = self.type(cursor)
                cursor.expect(",")
            while True:
                operands.append((yield self._nested_constant(cursor, self.type(cursor))))
                if not cursor.accept(","):
                    break
        else:
            raise cursor.error(f"unknown constant {opcode!r}")
        cursor.expect(")")
        return ConstantExpression(opcode, type, operands, attributes)

    def metadata_text(self, cursor: Cursor) -> str:
        """Consume a metadata operand as text: `!7`, `!"x"`, `!{…}`, `!DIExpression(…)` or `type value`."""
        token = cursor.next()
        if token[0] != "!":
            text = token
            while cursor.peek() not in (",", ")", ""):
                text += cursor.balanced() if cursor.peek() == "(" else " " + cursor.next()
            if "%" in text:
                raise cursor.error("metadata that names a local value is not supported")
            return text
        if token == "!" or cursor.peek() == "(":
            if cursor.peek() in ("{", "("):
                return token + cursor.balanced()
            return token + cursor.next()
        return token


def _float_bits(kind: str, token: str) -> int:
    """Return the bits of a floating-point literal; raise ValueError if it is not one of that kind."""
    if not token.startswith("0x"):
        return float_to_bits(kind, float(token))
    letter = token[2:3]
    if letter in _HEXADECIMAL_KINDS:
        bits = int(token[3:], 16)
        if _HEXADECIMAL_KINDS[letter] != kind:
            raise ValueError(token)
        return (
            (bits & (1 << 64) - 1) << 64 | bits >> 64 if letter == "L" else bits
        )  # the low half comes first
    bits = int(token, 16)
    if kind == "double":
        return bits
    if kind == "float":
        return float_bits_of_double(bits)
    raise ValueError(token)


def _hexadecimal_integer(sign: str, digits: str) -> int:
    """Return the value of u0x… (unsigned) or s0x… (two's complement in its number of digits)."""
    value = int(digits, 16)
    bits = 4 * len(digits)
    return value - (1 << bits) if sign == "s" and value >> (bits - 1) else value
