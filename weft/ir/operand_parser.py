"""Types, constants and operands of LLVM's textual IR."""

from .function import Block, Function, Module
from .lexer import Cursor, ParseError, string_bytes, unquote
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
}  # fmt: skip
for _bits in (1, 8, 16, 32, 64, 128):
    _WORD_TYPES[f"i{_bits}"] = IntType(_bits)

_FUNCTION_TYPE_BRACKET = "("


class _Forward(Value):
    """Stands for a value that is used before it is defined."""

    __slots__ = ()


class Scope:
    """Names of one function while its body is read."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}
        self.blocks: dict[str, Block] = {}
        self.forward: dict[str, _Forward] = {}
        self.counter = 0  # the number LLVM would give to the next unnamed value

    def block(self, name: str) -> Block:
        """The block of that name, made at its first mention."""
        found = self.blocks.get(name)
        if found is None:
            found = self.blocks[name] = Block()
        return found

    def value(self, name: str, type: Type) -> Value:
        """The value of that name, or a stand-in until it is defined."""
        found = self.values.get(name)
        if found is None:
            found = self.forward.get(name)
            if found is None:
                found = self.forward[name] = _Forward(type, name)
        return found

    def define(self, name: str, value: Value) -> None:
        """Gives a name its value."""
        if name in self.values:
            raise ParseError(f"%{name} is defined twice")
        self.values[name] = value
        stand_in = self.forward.pop(name, None)
        if stand_in is not None:
            stand_in.replace_all_uses_with(value)

    def finish(self, function: Function) -> None:
        """Checks that everything used was defined."""
        for name in self.forward:
            raise ParseError(f"%{name} is used but not defined in @{function.name}")
        for name, block in self.blocks.items():
            if block.function is None:
                raise ParseError(f"block %{name} is used but not defined in @{function.name}")


class OperandParser:
    """Reads types and operands against the names of a module."""

    def __init__(self, module: Module) -> None:
        self.module = module

    # Types

    def starts_type(self, cursor: Cursor) -> bool:
        """Whether a type begins at the cursor."""
        token = cursor.peek()
        return (
            token in _WORD_TYPES
            or token in ("ptr", "<", "[", "{", "target")
            or token[:1] == "%"
            or (token[:1] == "i" and token[1:].isdigit())
        )

    def type(self, cursor: Cursor) -> Type:
        """Reads a type."""
        token = cursor.next()
        found = _WORD_TYPES.get(token)
        if found is None:
            if token == "ptr":
                if cursor.peek() == "addrspace":
                    cursor.next()
                    found = PointerType(int(cursor.balanced()[1:-1]))
                else:
                    found = PointerType(0)
            else:
                found = self._other_type(cursor, token)
        if cursor.peek() == _FUNCTION_TYPE_BRACKET and self._is_function_type(cursor):
            found = self._function_type(cursor, found)
        return found

    def _other_type(self, cursor: Cursor, token: str) -> Type:
        if token == "<":
            if cursor.accept("{"):
                fields = self._types_until(cursor, "}")
                cursor.expect(">")
                return StructType(fields, packed=True)
            count, element = self._counted(cursor)
            cursor.expect(">")
            return VectorType(element, count)
        if token == "[":
            count, element = self._counted(cursor)
            cursor.expect("]")
            return ArrayType(element, count)
        if token == "{":
            return StructType(self._types_until(cursor, "}"))
        if token[0] == "%":
            name = unquote(token)
            found = self.module.types.get(name)
            if found is None:
                found = self.module.types[name] = NamedType(name)
            return found
        if token[0] == "i" and token[1:].isdigit():
            return IntType(int(token[1:]))
        if token == "target":
            return TargetType("target" + cursor.balanced())
        raise cursor.error(f"expected a type, found {token!r}")

    def _counted(self, cursor: Cursor) -> tuple[int, Type]:
        count = cursor.next()
        if not count.isdigit():
            raise cursor.error("vectors of unknown length are not supported")
        cursor.expect("x")
        return int(count), self.type(cursor)

    def _types_until(self, cursor: Cursor, end: str) -> tuple[Type, ...]:
        fields = []
        while not cursor.accept(end):
            fields.append(self.type(cursor))
            cursor.accept(",")
        return tuple(fields)

    def _is_function_type(self, cursor: Cursor) -> bool:
        # Only a parameter list, never an operand, follows a type with a bracket; `()` and `(...)` count.
        following = cursor.tokens[cursor.index + 1]
        if following in (")", "..."):
            return True
        probe = Cursor(cursor.tokens, cursor.line)
        probe.index = cursor.index + 1
        return self.starts_type(probe)

    def _function_type(self, cursor: Cursor, result: Type) -> FunctionType:
        cursor.expect("(")
        parameters: list[Type] = []
        vararg = False
        while not cursor.accept(")"):
            if cursor.accept("..."):
                vararg = True
            else:
                parameters.append(self.type(cursor))
            cursor.accept(",")
        return FunctionType(result, tuple(parameters), vararg)

    # Operands

    def typed(self, cursor: Cursor, scope: Scope) -> Value:
        """Reads `type value`."""
        type = self.type(cursor)
        return self.operand(cursor, type, scope)

    def operand(self, cursor: Cursor, type: Type, scope: Scope) -> Value:
        """Reads a value of a known type."""
        token = cursor.tokens[cursor.index] if cursor.index < len(cursor.tokens) else ""
        if token[:1] == "%":
            cursor.index += 1
            if type is LABEL:
                return scope.block(unquote(token))
            return scope.value(unquote(token), type)
        if type is METADATA:
            return MetadataOperand(METADATA, self.metadata_text(cursor))
        return self.constant(cursor, type)

    def constant(self, cursor: Cursor, type: Type) -> Value:
        """Reads a constant of a known type."""
        token = cursor.next()
        first = token[0]
        if first == "@":
            found = self.module.globals.get(unquote(token))
            if found is None:
                raise cursor.error(f"{token} is used but not defined")
            return found
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
        if token == "splat":
            cursor.expect("(")
            element = self.constant(cursor, self.type(cursor))
            cursor.expect(")")
            assert isinstance(type, VectorType)
            return ConstantAggregate(type, [element] * type.count)
        if token in ("[", "{", "<"):
            return self._aggregate(cursor, type, token)
        if token.startswith('c"'):
            return ConstantString(type, string_bytes(token))
        return self._expression(cursor, type, token)

    def _number(self, cursor: Cursor, type: Type, token: str) -> Constant:
        if isinstance(type, IntType):
            return ConstantInt(type, int(token))
        if not isinstance(type, FloatType):
            raise cursor.error(f"a number cannot be of type {type}")
        if token.startswith("0x"):
            digits = token[2:]
            if digits[0] in "HRKLM":
                bits = int(digits[1:], 16)
                if digits[0] in "LM":  # the low 64 bits come first
                    bits = (bits & (1 << 64) - 1) << 64 | bits >> 64
                return ConstantFloat(type, bits)
            bits = int(digits, 16)
            if type.kind == "double":
                return ConstantFloat(type, bits)
            if type.kind == "float":
                return ConstantFloat(type, float_bits_of_double(bits))
            raise cursor.error(f"{token} is not a number of type {type}")
        return ConstantFloat(type, float_to_bits(type.kind, float(token)))

    def _aggregate(self, cursor: Cursor, type: Type, token: str) -> Constant:
        packed = token == "<" and cursor.peek() == "{"
        if packed:
            cursor.next()
        end = {"[": "]", "{": "}", "<": "}" if packed else ">"}[token]
        elements = []
        while not cursor.accept(end):
            elements.append(self.constant(cursor, self.type(cursor)))
            cursor.accept(",")
        if packed:
            cursor.expect(">")
        return ConstantAggregate(type, elements)

    def _expression(self, cursor: Cursor, type: Type, opcode: str) -> Constant:
        attributes: dict[str, object] = {}
        flags = []
        while cursor.peek() not in ("(", ""):
            word = cursor.next()
            flags.append(word + (cursor.balanced() if word == "inrange" else ""))
        attributes["flags"] = tuple(flags)
        cursor.expect("(")
        operands = []
        if opcode in CASTS:
            operands.append(self.constant(cursor, self.type(cursor)))
            cursor.expect("to")
            self.type(cursor)
        elif opcode in ("add", "sub", "xor", "getelementptr", "shl", "mul"):
            if opcode == "getelementptr":
                attributes["element_type"] = self.type(cursor)
                cursor.expect(",")
            while True:
                operands.append(self.constant(cursor, self.type(cursor)))
                if not cursor.accept(","):
                    break
        else:
            raise cursor.error(f"unknown constant {opcode!r}")
        cursor.expect(")")
        return ConstantExpression(opcode, type, operands, attributes)

    def metadata_text(self, cursor: Cursor) -> str:
        """Takes a metadata operand as text: `!7`, `!"x"`, `!{…}`, `!DIExpression(…)` or `type value`."""
        token = cursor.next()
        if token[0] != "!":
            text = token
            while cursor.peek() not in (",", ")", ""):
                text += cursor.balanced() if cursor.peek() == "(" else " " + cursor.next()
            return text
        if token == "!" or cursor.peek() == "(":
            if cursor.peek() in ("{", "("):
                return token + cursor.balanced()
            return token + cursor.next()
        return token
