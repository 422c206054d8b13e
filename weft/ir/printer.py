"""Print a Module as LLVM's textual IR.

Unnamed values get LLVM's running numbers; a duplicate name in a function gets a suffix, so passes may reuse
names freely.
"""

from collections.abc import Callable

from weft.recursion import Steps, run

from .function import Alias, Function, GlobalVariable, Module
from .instruction import Instruction
from .opcodes import OPCODES
from .types import VOID, ArrayType, FloatType, PointerType, VectorType, escaped, quoted, struct_body
from .values import (
    Constant,
    ConstantAggregate,
    ConstantExpression,
    ConstantFloat,
    ConstantInt,
    ConstantString,
    ConstantZero,
    GlobalValue,
    InlineAsm,
    MetadataOperand,
    Poison,
    Undef,
    Value,
    bits_to_float,
    double_bits_of_float,
)


def print_module(module: Module) -> str:
    """Return the text of a module."""
    parts = list(module.header)
    parts += (
        ["", *(f"{t} = type {t.body or 'opaque'}" for t in module.types.values())] if module.types else []
    )
    variables = [g for g in module.globals.values() if not isinstance(g, Function)]
    if variables:
        parts += ["", *(print_variable(v) for v in variables)]
    for function in module.functions:
        parts += ["", print_function(function)]
    if module.attribute_groups:
        parts += ["", *(f"attributes #{n} = {text}" for n, text in module.attribute_groups.items())]
    if module.named_metadata or module.metadata:
        parts += ["", *(f"!{name} = {text}" for name, text in module.named_metadata.items())]
        parts += ["", *(f"!{number} = {text}" for number, text in module.metadata.items())]
    return "\n".join(parts) + "\n"


def print_function(function: Function) -> str:
    """Return the text of one function."""
    return _FunctionPrinter(function).run()


def print_blocks(function: Function) -> list[tuple[str, ...]]:
    """Return the lines of each block, without metadata and attribute groups, for human readers."""
    printer = _FunctionPrinter(function, bare=True)
    printer.number()
    return [
        tuple(line.strip() for i in block.instructions for line in printer.instruction(i).split("\n"))
        for block in function.blocks
    ]


def print_instruction(instruction: Instruction) -> str:
    """Return the text of one instruction, for messages; unnamed values are numbered as in their function."""
    block = instruction.block
    if block is None or block.function is None:
        return f"{instruction.opcode} (not in a function)"
    printer = _FunctionPrinter(block.function)
    printer.number()
    return printer.instruction(instruction)


def constant_text(value: Value) -> str:
    """Return the text of a constant or global, without its type."""
    match value:
        case ConstantInt():
            if value.type.bits == 1:
                return "true" if value.value else "false"
            return str(value.signed)
        case GlobalValue():
            return value.reference
        case ConstantFloat():
            return _float_text(value)
        case ConstantZero():
            return "null" if isinstance(value.type, PointerType) else "zeroinitializer"
        case Undef():
            return "undef"
        case Poison():
            return "poison"
        case ConstantAggregate() | ConstantExpression():
            return run(_nested_text(value))
        case ConstantString():
            return f'c"{escaped(value.data)}"'
        case InlineAsm() | MetadataOperand():
            return value.text
    raise TypeError(f"{value!r} is not a constant")


def typed_constant(value: Value) -> str:
    """Return the text of a constant, with its type."""
    return f"{value.type.text} {constant_text(value)}"


def _float_text(constant: ConstantFloat) -> str:
    type = constant.type
    assert isinstance(type, FloatType)
    match type.kind:
        case "half":
            return f"0xH{constant.bits:04X}"
        case "bfloat":
            return f"0xR{constant.bits:04X}"
        case "x86_fp80":
            return f"0xK{constant.bits:020X}"
        case "fp128":
            return f"0xL{constant.bits & (1 << 64) - 1:016X}{constant.bits >> 64:016X}"
    wide = constant.bits if type.kind == "double" else double_bits_of_float(constant.bits)
    number = bits_to_float("double", wide)
    if (wide >> 52) & 0x7FF != 0x7FF:
        text = f"{number:.6e}"
        if float(text) == number and (number != 0 or not wide >> 63):
            return text
    return f"0x{wide:016X}"


def _nested_text(value: ConstantAggregate | ConstantExpression) -> Steps[str]:
    """Return the text of a constant with operands, which may be nested deeply."""
    splat = value.splat if isinstance(value, ConstantAggregate) else None
    if splat is not None:
        return f"splat ({typed_constant(splat)})"
    parts = []
    for part in value.elements if isinstance(value, ConstantAggregate) else value.operands:
        if isinstance(part, ConstantAggregate | ConstantExpression):
            parts.append(f"{part.type.text} {(yield _nested_text(part))}")
        else:
            parts.append(typed_constant(part))
    body = ", ".join(parts)
    if isinstance(value, ConstantAggregate):
        return _aggregate_text(value, body)
    return _expression_text(value, body)


def _aggregate_text(value: ConstantAggregate, body: str) -> str:
    if isinstance(value.type, ArrayType):
        return f"[{body}]"
    if isinstance(value.type, VectorType):
        return f"<{body}>"
    packed = struct_body(value.type).packed
    inner = f"{{ {body} }}" if body else "{}"
    return f"<{inner}>" if packed else inner


def _expression_text(value: ConstantExpression, inner: str) -> str:
    flags = "".join(" " + f for f in value.attributes.get("flags", ()))
    if value.opcode == "getelementptr":
        return f"getelementptr{flags} ({value.attributes['element_type']}, {inner})"
    if len(value.operands) == 1:
        return f"{value.opcode}{flags} ({inner} to {value.type})"
    return f"{value.opcode}{flags} ({inner})"


def print_variable(variable: GlobalVariable | Alias | Function) -> str:
    """Return the text of a variable's definition or declaration."""
    if isinstance(variable, Alias):
        return variable.text
    assert isinstance(variable, GlobalVariable)
    words = [variable.reference, "=", *variable.prefix]
    space = variable.type.space
    if space:
        words.append(f"addrspace({space})")
    words += ["constant" if variable.is_constant else "global", str(variable.value_type)]
    if variable.initializer is not None:
        words.append(constant_text(variable.initializer))
    text = " ".join(words)
    for suffix in variable.suffix:
        text += f", {suffix}"
    return text + "".join(f", !{k} {v}" for k, v in variable.metadata.items())


class _FunctionPrinter:
    def __init__(self, function: Function, bare: bool = False) -> None:
        self.function, self.bare = function, bare
        self.names: dict[Value, str] = {}

    def number(self) -> None:
        """Assign the text of every argument, block and result."""
        names = self.names
        taken: dict[str, int] = {}  # name -> the last suffix tried for another value of that name
        counter = 0
        function = self.function

        def assign(value: Value) -> None:
            nonlocal counter
            if value.name is None:
                names[value] = f"%{counter}"
                counter += 1
                return
            name = value.name
            if name in taken:
                stem, suffix = name, taken[name] + 1
                while (name := f"{stem}.{suffix}") in taken:
                    suffix += 1
                taken[stem] = suffix
            taken[name] = 0
            # A name of digits only needs quotes, otherwise it would be a number.
            names[value] = f'%"{name}"' if name.isdigit() else "%" + quoted(name)

        for argument in function.arguments:
            assign(argument)
        for block in function.blocks:
            assign(block)
            for instruction in block.instructions:
                if instruction.type is not VOID:
                    assign(instruction)

    def run(self) -> str:
        function = self.function
        self.number()
        words = ["declare" if function.is_declaration else "define"]
        attachments = "".join(f" !{k} {v}" for k, v in function.metadata.items())
        if function.is_declaration and attachments:
            words.append(attachments[1:])
        words += [*function.prefix, str(function.function_type.result)]
        arguments = []
        for argument in function.arguments:
            parts = [str(argument.type), *argument.attributes]
            if not function.is_declaration:
                parts.append(self.names[argument])
            arguments.append(" ".join(parts))
        if function.function_type.vararg:
            arguments.append("...")
        header = f"{' '.join(words)} {function.reference}({', '.join(arguments)})"
        if function.suffix:
            header += " " + " ".join(function.suffix)
        if function.is_declaration:
            return header
        lines = [header + attachments + " {"]
        for index, block in enumerate(function.blocks):
            if index:
                lines.append("")
            if index or block.name is not None:
                lines.append(self.names[block][1:] + ":")
            lines += ["  " + self.instruction(i) for i in block.instructions]
        return "\n".join([*lines, "}"])

    def operand(self, value: Value) -> str:
        """Return the text of an operand, without its type."""
        name = self.names.get(value)
        if name is not None:
            return name
        if isinstance(value, Constant | GlobalValue):
            return constant_text(value)
        return f"%<detached {value.name}>"

    def typed(self, value: Value) -> str:
        """Return the text of an operand, with its type."""
        name = self.names.get(value)
        return f"{value.type.text} {name if name is not None else self.operand(value)}"

    def typed_list(self, values: list[Value]) -> str:
        """Return the text of operands, with their types."""
        return ", ".join([self.typed(v) for v in values])

    def instruction(self, i: Instruction) -> str:
        """Return the text of an instruction, including its name."""
        head = f"{i.opcode} {' '.join(i.flags)}" if i.flags else i.opcode
        text = _WRITERS[OPCODES[i.opcode].form](self, i, head)
        if "addrspace" in i.attributes:
            text += f", addrspace({i.attributes['addrspace']})"
        for key, reference in () if self.bare else i.metadata.items():
            text += f", !{key} {reference}"
        return text if i.type is VOID else f"{self.names[i]} = {text}"


def _ret(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    return f"ret {p.typed(i.operands[0])}" if i.operands else "ret void"


def _list(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    return f"{head} {p.typed_list(i.operands)}" if i.operands else head


def _switch(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    cases = "".join(
        f"    {p.typed(case)}, {p.typed(target)}\n"
        for case, target in zip(i.operands[2::2], i.operands[3::2], strict=True)
    )
    return f"switch {p.typed_list(i.operands[:2])} [\n{cases}  ]"


def _binary(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    left, right = i.operands
    return f"{head} {left.type.text} {p.operand(left)}, {p.operand(right)}"


def _compare(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    left, right = i.operands
    return f"{head} {i.attributes['predicate']} {left.type.text} {p.operand(left)}, {p.operand(right)}"


def _cast(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    return f"{head} {p.typed(i.operands[0])} to {i.type}"


def _phi(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    pairs = ", ".join([f"[ {p.operand(v)}, {p.operand(b)} ]" for v, b in i.incoming()])
    return f"{head} {i.type.text} {pairs}"


def _indexed(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    return f"{head} {p.typed_list(i.operands)}" + "".join(f", {n}" for n in i.attributes["indices"])


def _align(i: Instruction) -> str:
    align = i.attributes.get("align")
    return f", align {align}" if align else ""


def _alloca(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    count = f", {p.typed(i.operands[0])}" if i.operands else ""
    return f"alloca {i.attributes['allocated']}{count}{_align(i)}"


def _atomic(i: Instruction, *keys: str) -> str:
    scope = f" syncscope({i.attributes['syncscope']})" if "syncscope" in i.attributes else ""
    return scope + "".join(" " + i.attributes[k] for k in keys)


def _words(i: Instruction, *names: str) -> str:
    return "".join(" " + n for n in names if i.attributes.get(n))


def _load(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    tail = _atomic(i, "ordering") if i.attributes.get("atomic") else ""
    return f"load{_words(i, 'atomic', 'volatile')} {i.type}, {p.typed(i.operands[0])}{tail}{_align(i)}"


def _store(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    tail = _atomic(i, "ordering") if i.attributes.get("atomic") else ""
    return f"store{_words(i, 'atomic', 'volatile')} {p.typed_list(i.operands)}{tail}{_align(i)}"


def _fence(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    return "fence" + _atomic(i, "ordering")


def _cmpxchg(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    tail = _atomic(i, "success", "failure")
    return f"cmpxchg{_words(i, 'weak', 'volatile')} {p.typed_list(i.operands)}{tail}{_align(i)}"


def _atomicrmw(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    head = f"atomicrmw{_words(i, 'volatile')} {i.attributes['operation']}"
    return f"{head} {p.typed_list(i.operands)}{_atomic(i, 'ordering')}{_align(i)}"


def _getelementptr(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    inrange = " inrange" + i.attributes["inrange"] if "inrange" in i.attributes else ""
    return f"{head}{inrange} {i.attributes['element_type']}, {p.typed_list(i.operands)}"


def _call(p: _FunctionPrinter, i: Instruction, head: str) -> str:
    attributes = i.attributes
    words = [attributes["tail"]] if attributes.get("tail") else []
    words += [head, *attributes.get("prefix", ())]
    function_type = attributes["function_type"]
    words.append(str(function_type) if function_type.vararg else str(function_type.result))
    extra = attributes.get("argument_attributes")
    passed = i.arguments
    if extra:
        arguments = ", ".join(
            [" ".join([v.type.text, *a, p.operand(v)]) for v, a in zip(passed, extra, strict=True)]
        )
    else:
        arguments = p.typed_list(passed)
    text = f"{' '.join(words)} {p.operand(i.callee)}({arguments})"
    for suffix in attributes.get("suffix", ()):
        if not (p.bare and suffix.startswith("#")):
            text += " " + suffix
    if attributes.get("bundles"):
        bundles = []
        start = len(i.arguments)
        for tag, count in attributes["bundles"]:
            bundles.append(f'"{tag}"({p.typed_list(i.operands[start : start + count])})')
            start += count
        text += f" [ {', '.join(bundles)} ]"
    return text


_WRITERS: dict[str, Callable[[_FunctionPrinter, Instruction, str], str]] = {
    "ret": _ret,
    "br": _list,
    "switch": _switch,
    "unreachable": _list,
    "unary": _list,
    "freeze": _list,
    "binary": _binary,
    "compare": _compare,
    "cast": _cast,
    "phi": _phi,
    "select": _list,
    "call": _call,
    "extractelement": _list,
    "insertelement": _list,
    "shufflevector": _list,
    "extractvalue": _indexed,
    "insertvalue": _indexed,
    "alloca": _alloca,
    "load": _load,
    "store": _store,
    "fence": _fence,
    "cmpxchg": _cmpxchg,
    "atomicrmw": _atomicrmw,
    "getelementptr": _getelementptr,
}
