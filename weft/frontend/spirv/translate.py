"""Translate a SPIR-V module to LLVM IR of the same form as clang's output for OpenCL C.

Blocks map to blocks and values to values. Storage classes become address spaces, extended instructions and
built-in variables become calls of OpenCL C built-ins by mangled name, and entry points become kernels with
the metadata that clang attaches to them. Unreachable blocks are dropped.
"""

import re
from collections.abc import Mapping
from importlib import import_module

from weft.frontend.metadata import UNIFORM_GROUPS
from weft.frontend.options import BuildOptions
from weft.frontend.spirv.binary import Instruction, read
from weft.frontend.spirv.body import TRANSLATORS, Body, Output, Program, Value
from weft.frontend.spirv.calls import by_value, terminate
from weft.frontend.spirv.constants import Constant, Constants
from weft.frontend.spirv.control_flow import ControlFlow, check_calls, check_values, control_flow
from weft.frontend.spirv.errors import InvalidModule
from weft.frontend.spirv.imports import built_in_symbol
from weft.frontend.spirv.kernels import attributes, metadata, quoted
from weft.frontend.spirv.module import Function, Module, take_apart
from weft.frontend.spirv.types import (
    MOST_ALIGNMENT,
    MOST_BYTES,
    NAMED_BARRIER,
    PIPE_STORAGE,
    RESERVATION,
    VOID,
    Array,
    Float,
    Int,
    Opaque,
    Pointer,
    Signature,
    Struct,
    Type,
    Types,
    Vector,
    scalar,
)
from weft.frontend.spirv.variables import check_variable
from weft.lazy_pattern import lazy_pattern
from weft.limits import check_time
from weft.pipe_layout import ALIGNMENT, header, pipe_bytes

for _area in (
    "arithmetic",
    "dot_products",
    "composites",
    "memory",
    "groups",
    "opencl_std",
    "images",
    "pipes",
):
    import_module(f"weft.frontend.spirv.{_area}")

_NAME = lazy_pattern(r"[^\W\d][\w$.]*|[$.][\w$.]*")
_PLAIN = lazy_pattern(r"[\w$.]+", re.ASCII)
_RESERVED = ("llvm.", "weft.")
_IDENTIFIER = lazy_pattern(r"[A-Za-z_]\w*", re.ASCII)

_ATTRIBUTES = """\
attributes #0 = {{ convergent norecurse nounwind "no-trapping-math"="true"{0} }}
attributes #1 = {{ convergent nounwind "no-trapping-math"="true"{0} }}
attributes #2 = {{ convergent nounwind willreturn memory(none) }}
attributes #3 = {{ convergent nounwind }}
"""
_FLUSHED = ' "denormal-fp-math-f32"="preserve-sign,preserve-sign"'


def translate(
    data: bytes, options: BuildOptions, chosen: Mapping[int, bytes], head: str, debug_info: bool = False
) -> str:
    """Translate a module to LLVM IR; raise InvalidModule.

    `chosen` holds values of specialization constants; `head` is the data layout and the triple. With
    `debug_info`, instructions have the locations of OpLine.
    """
    module = take_apart(read(data))
    check_calls(module)
    types = Types(module)
    program = Program(
        module,
        types,
        Constants(module, types, chosen),
        Output(),
        fast_math=_fast_math(options),
        kernel_words=f" {UNIFORM_GROUPS}" if options.uniform_work_group_size else "",
    )
    program.globals.update(i.result for i in module.globals)
    program.globals.update(function.id for function in module.functions)
    program.globals.update(module.imports)
    program.globals.update(module.alias_scopes)
    variables = _Globals(program).translate()
    _name_functions(program)
    if debug_info:
        _describe_program(program)
    functions = [_function(program, function) for function in module.functions]
    return _printed(program, head, variables, functions, options)


def _fast_math(options: BuildOptions) -> str:
    if options.fast_relaxed_math:
        return "fast"
    words = []
    if options.finite_math_only:
        words += ["nnan", "ninf"]
    if options.unsafe_math:
        words += ["reassoc", "nsz", "arcp", "contract", "afn"]
    elif options.no_signed_zeros:
        words.append("nsz")
    if options.mad_enable and "contract" not in words:
        words.append("contract")
    return " ".join(words)


def _printed(
    program: Program, head: str, variables: list[str], functions: list[str], options: BuildOptions
) -> str:
    output = program.output
    declared = output.declarations.values()
    flags = output.node('!{i32 1, !"wchar_size", i32 4}')
    named = [flags]
    if program.scope:
        named.append(output.node('!{i32 2, !"Debug Info Version", i32 3}'))
    nodes = [f"!{index} = {text}" for index, text in enumerate(output.metadata)]
    if program.scope:
        nodes.insert(0, f"!llvm.dbg.cu = !{{{program.scope}}}")
    parts = [
        head,
        *program.types.definitions,
        *variables,
        *functions,
        *declared,
        _ATTRIBUTES.format(_FLUSHED if options.denorms_are_zero else ""),
        f"!llvm.module.flags = !{{{', '.join(named)}}}",
        *nodes,
    ]
    return "\n".join(parts) + "\n"


# Types, constants and variables


class _Globals:
    """Translates the instructions before the functions."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def translate(self) -> list[str]:
        """Translate all of them; return the lines of the variables."""
        lines = []
        constants = self._program.constants
        for instruction in self._program.module.globals:
            if instruction.name == "TypeForwardPointer":
                continue
            if instruction.name.startswith("Type"):
                length = constants.integer(instruction.id(1)) if instruction.name == "TypeArray" else None
                self._program.types.add(instruction, length)
            elif instruction.name == "Variable":
                lines += self._variable(instruction)
            elif instruction.name == "ConstantPipeStorage":
                lines.append(self._pipe_storage(instruction))
            else:
                constants.add(instruction)
        return lines

    def _pipe_storage(self, instruction: Instruction) -> str:
        """Return the definition of a variable that contains an empty pipe."""
        program = self._program
        if program.types[instruction.type] != PIPE_STORAGE:
            raise InvalidModule("OpConstantPipeStorage: the type is not OpTypePipeStorage")
        size, _, capacity = instruction.numbers(0)
        if not 0 < size <= MOST_BYTES or not 0 < capacity <= MOST_BYTES:
            raise InvalidModule(
                f"OpConstantPipeStorage: {capacity} packets of {size} bytes are not supported"
            )
        start, whole = header(size, capacity), pipe_bytes(size, capacity)
        program.variable_bytes += whole
        if program.variable_bytes > MOST_BYTES:
            raise InvalidModule("the variables of the module are too large")
        symbol = f"g{instruction.result}."
        program.constants.define(instruction.result, Constant(PIPE_STORAGE, f"@{symbol}"))
        words = [f"i64 {int.from_bytes(start[at : at + 8], 'little')}" for at in range(0, len(start), 8)]
        padding = f"[{whole - len(start)} x i8]"
        kinds = ", ".join([*["i64"] * len(words), padding])
        values = ", ".join([*words, f"{padding} zeroinitializer"])
        return f"@{symbol} = internal addrspace(1) global {{ {kinds} }} {{ {values} }}, align {ALIGNMENT}"

    def _variable(self, instruction: Instruction) -> list[str]:
        program = self._program
        type = program.types[instruction.type]
        storage = instruction.word(0)
        if not isinstance(type, Pointer) or type.storage != storage:
            raise InvalidModule("OpVariable: the type is not a pointer to the storage class")
        held = program.types.pointee(type)
        built_in = program.module.decoration(instruction.result, "BuiltIn")
        if built_in:
            check_variable(str(built_in[0]), held)
            program.built_ins[instruction.result] = Value(type, "", variable=str(built_in[0]))
            return []
        if not held.in_memory:
            raise InvalidModule("OpVariable: the type has no size")
        program.variable_bytes += held.size
        if program.variable_bytes > MOST_BYTES:
            raise InvalidModule("the variables of the module are too large")
        name, linkage, imported = _linkage(program.module, instruction.result)
        symbol = f"g{instruction.result}."
        if name:
            symbol = _take_name(program, instruction.result, name)
        program.constants.define(instruction.result, Constant(type, f"@{symbol}"))
        initial = None
        if len(instruction.operands) > 1:
            initial = program.constants[instruction.id(1)]
            if initial.type != held:
                raise InvalidModule("OpVariable: the initializer has a different type")
        alignment = program.module.decoration(instruction.result, "Alignment")
        align = alignment[0] if alignment and isinstance(alignment[0], int) else held.align
        if align <= 0 or align & (align - 1) or align > MOST_ALIGNMENT:
            raise InvalidModule(f"OpVariable: an alignment of {align} bytes is not supported")
        if storage == "UniformConstant":
            if initial is None and not imported:
                raise InvalidModule("OpVariable: a constant needs an initializer")
            text = initial.text if initial is not None else ""
            linkage = "external " if initial is None else linkage
            return [f"@{symbol} = {linkage}addrspace(2) constant {held.llvm} {text}, align {align}"]
        if storage == "Workgroup":
            if imported or (initial is not None and initial.text != "zeroinitializer"):
                raise InvalidModule("OpVariable: a variable in local memory cannot have an initializer")
            return [f"@{symbol} = internal addrspace(3) global {held.llvm} undef, align {align}"]
        if storage == "CrossWorkgroup":
            if imported and initial is not None:
                raise InvalidModule("OpVariable: an imported variable cannot have an initializer")
            constant = program.module.is_decorated(instruction.result, "Constant")
            kind = "constant" if constant and (imported or initial is not None) else "global"
            text = initial.text if initial is not None else "" if imported else "zeroinitializer"
            linkage = "external " if imported else linkage
            return [f"@{symbol} = {linkage}addrspace(1) {kind} {held.llvm} {text}, align {align}"]
        raise InvalidModule(f"OpVariable: storage class {storage} is not allowed for module variables")


# LLVM's linkage of exported symbols; weak_odr allows equal definitions in several modules.
_LINKAGES = {"Export": "", "LinkOnceODR": "weak_odr "}


def _linkage(module: Module, id: int) -> tuple[str, str, bool]:
    """Return the external name of a symbol, LLVM's linkage, and whether it is imported.

    Khronos's translator makes an entry point call a function that is exported under the same name; other
    modules see the entry point under that name.
    """
    linkage = module.decoration(id, "LinkageAttributes")
    if not linkage or (linkage[1] != "Import" and linkage[0] in module.entry_points.values()):
        return "", "internal ", False
    return str(linkage[0]), _LINKAGES.get(str(linkage[1]), "internal "), linkage[1] == "Import"


def _take_name(program: Program, id: int, name: str) -> str:
    """Assign a name to a function or variable; return LLVM's spelling of it."""
    if not _NAME.fullmatch(name) or name.startswith(_RESERVED):
        raise InvalidModule(f"invalid name {name!r} for a function or variable")
    symbol = name if _PLAIN.fullmatch(name) else quoted(name)[1:]
    if symbol in program.symbols.values():
        raise InvalidModule(f"the name {name!r} is defined twice")
    program.symbols[id] = symbol
    return symbol


# Functions

# Opaque types that a phi may have.
_SELECTED = ("event_t", RESERVATION.name, NAMED_BARRIER.name)


def _name_functions(program: Program) -> None:
    module = program.module
    for function in module.functions:
        id = function.id
        name, _, imported = _linkage(module, id)
        name = module.entry_points.get(id, name)
        if not function.blocks and not (imported and name):
            raise InvalidModule("OpFunction: a function without a body has no import name")
        if imported and function.blocks:
            raise InvalidModule("OpFunction: an imported function cannot have a body")
        if not function.blocks and id in module.entry_points:
            raise InvalidModule("OpFunction: an entry point needs a body")
        program.parameters[id] = function.parameters
        signature = _signature(program, function)
        known = built_in_symbol(name, signature) if imported else None
        if known is not None:
            program.output.declare(known, signature.returns, signature.parameters, pure=False)
            program.symbols[id] = known
        elif name:
            symbol = _take_name(program, id, name)
            program.defined.add(symbol)
        else:
            program.symbols[id] = f"f{id}."


def _signature(program: Program, function: Function) -> Signature:
    """Return the type of a function; check that the host can set the parameters of a kernel."""
    signature = program.types[function.definition.id(1)]
    if not isinstance(signature, Signature):
        raise InvalidModule("OpFunction: the type is not OpTypeFunction")
    if program.types[function.definition.type] != signature.returns:
        raise InvalidModule("OpFunction: the result differs from that of the function type")
    if tuple(program.types[p.type] for p in function.parameters) != signature.parameters:
        raise InvalidModule("OpFunction: the parameters differ from those of the function type")
    if function.id not in program.module.entry_points:
        return signature
    if signature.returns is not VOID:
        raise InvalidModule("OpEntryPoint: a kernel must return void")
    for type in signature.parameters:
        if not _can_be_argument(type):
            raise InvalidModule("OpEntryPoint: a kernel parameter has a type that the host cannot set")
    return signature


def _can_be_argument(type: Type) -> bool:
    if isinstance(type, Pointer):
        return type.storage in ("CrossWorkgroup", "Workgroup", "UniformConstant", "Function")
    if isinstance(type, Opaque):
        return type.name.startswith("image") or type.name in ("sampler_t", "pipe")
    return isinstance(scalar(type), Int | Float) or isinstance(type, Struct | Array)


def _describe_program(program: Program) -> None:
    """Emit the DWARF compile unit of the program."""
    output = program.output
    file = output.node('!DIFile(filename: "<source>", directory: "")')
    program.scope = output.node(
        f'distinct !DICompileUnit(language: DW_LANG_OpenCL, file: {file}, producer: "Weft", '
        "isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)"
    )


def _subprogram(program: Program, function: Function) -> str:
    """Emit the DWARF subprogram of a function; return an empty string without debug information."""
    if not program.scope or not function.blocks:
        return ""
    output, module = program.output, program.module
    line = module.lines.get(function.definition.place)
    for instruction in function.instructions():
        line = line or module.lines.get(instruction.place)
    own = line is None or (module.source and line.file == module.source_file)
    file = quoted("<source>" if own or line is None else line.file)[1:]
    place = output.node(f'!DIFile(filename: {file}, directory: "")')
    nothing = output.node("!{}")
    kind = output.node(f"!DISubroutineType(types: {nothing})")
    name = quoted(module.names.get(function.id) or program.symbols[function.id])[1:]
    return output.node(
        f"distinct !DISubprogram(name: {name}, scope: {place}, file: {place}, "
        f"line: {line.line if line is not None else 0}, type: {kind}, "
        f"spFlags: DISPFlagDefinition, unit: {program.scope})"
    )


def _function(program: Program, function: Function) -> str:
    check_time()
    module = program.module
    scope = _subprogram(program, function)
    body = Body(program, scope)
    body.values.update(program.built_ins)
    is_kernel = function.id in module.entry_points
    types = [program.types[p.type] for p in function.parameters]
    parameters = []
    loaded = []
    for parameter, type in zip(function.parameters, types, strict=True):
        name = _parameter_name(module, function, parameter.result)
        if is_kernel and isinstance(type, Struct | Array):
            # clang passes structures through memory, and so does the host.
            parameters.append(f"ptr byval({type.llvm}) align {type.align} {name}")
            loaded.append((parameter, type, name))
        else:
            words = _parameter_words(body, parameter, type)
            if is_kernel and isinstance(type, Pointer) and type.storage == "Function" and not words:
                raise InvalidModule("OpEntryPoint: a kernel parameter points to private memory")
            # Arguments from the host are defined, as in OpenCL C.
            defined = "noundef " if is_kernel else ""
            parameters.append(f"{type.llvm} {defined}{words}{name}")
        body.values[parameter.result] = Value(type, name)
    signature = program.types[function.definition.id(1)]
    assert isinstance(signature, Signature)
    symbol = program.symbols[function.id]
    head = f"{signature.returns.llvm} @{symbol}({', '.join(parameters)})"
    if not function.blocks:
        return f"declare {head} #1" if symbol in program.defined else ""
    for parameter, type, name in loaded:
        value = body.emit(f"load {type.llvm}, ptr {name}, align {type.align}", type)
        body.values[parameter.result] = value
    before = body.lines
    body.lines = []
    flow = control_flow(function)
    check_values(function, flow, program.globals)
    _blocks(body, flow, signature.returns, before)
    words = "" if is_kernel else _linkage(module, function.id)[1]
    words += "" if words == "internal " else "dso_local "
    attached = ""
    if is_kernel:
        words += "spir_kernel "
        attached = program.kernel_words + metadata(program, function, types)
    if scope:
        attached += f" !dbg {scope}"
    lines = "\n".join(body.lines)
    return f"define {words}{head} {'#0' if is_kernel else '#1'}{attached} {{\n{lines}\n}}"


def _parameter_name(module: Module, function: Function, id: int) -> str:
    """Return the name that the module gives to a parameter, if it is a unique identifier, else a generated
    one."""
    name = module.names.get(id, "")
    alone = sum(module.names.get(p.result) == name for p in function.parameters) == 1
    return f"%{name}" if alone and _IDENTIFIER.fullmatch(name) else f"%a.{id}"


def _parameter_words(body: Body, parameter: Instruction, type: Type) -> str:
    """Return the attributes of a parameter, followed by a space."""
    passed = by_value(body, parameter.result, type)
    if passed or not isinstance(type, Pointer) or not type.in_memory:
        return passed
    words = ""
    if "NoAlias" in attributes(body.module, parameter.result):
        words = "noalias "
    alignment = body.module.decoration(parameter.result, "Alignment")
    align = alignment[0] if alignment and isinstance(alignment[0], int) else 0
    if align > 0 and not align & (align - 1) and align <= MOST_ALIGNMENT:
        words += f"align {align} "
    return words


def _blocks(body: Body, flow: ControlFlow, returns: Type, before: list[str]) -> None:
    """Translate the blocks of a function; `before` are lines for the start of the entry block."""
    phis: list[tuple[int, Instruction, int]] = []
    for index, block in enumerate(flow.blocks):
        body.lines.append(f"b.{block.label}:")
        if not index:
            body.lines += before
        for instruction in block.instructions:
            body.place = instruction.place
            if instruction.name == "Phi":
                type = body.type(instruction)
                opaque = isinstance(type, Opaque) and type.name not in _SELECTED
                if opaque or not (type.in_memory or isinstance(type, Vector)):
                    raise body.fault(instruction, "values of this type cannot be selected")
                phis.append((len(body.lines), instruction, block.label))
                body.lines.append("")
                body.values[instruction.result] = Value(type, f"%p.{instruction.result}")
            else:
                _instruction(body, instruction)
        body.place = block.end.place
        terminate(body, block.end, returns)
    for line, instruction, label in phis:
        body.lines[line] = _phi(body, flow, instruction, label)


def _instruction(body: Body, instruction: Instruction) -> None:
    translator = TRANSLATORS.get(instruction.name)
    if translator is None:
        raise InvalidModule(f"Op{instruction.name} is not supported")
    value = translator(body, instruction)
    if not instruction.result:
        return
    type = body.types[instruction.type]
    if value is None:
        value = Value(VOID, "")
    if value.type != type:
        raise body.fault(instruction, "the value differs from the result type")
    if type is not VOID:
        body.values[instruction.result] = value


def _phi(body: Body, flow: ControlFlow, instruction: Instruction, label: int) -> str:
    """Return the line of a phi, with an entry for each edge, as LLVM requires."""
    operands = instruction.numbers(0)
    if len(operands) % 2:
        raise body.fault(instruction, "an incoming value has no parent block")
    incoming = dict(zip(operands[1::2], operands[::2], strict=True))
    if len(incoming) * 2 != len(operands):
        raise body.fault(instruction, "a parent block is listed twice")
    type = body.type(instruction)
    entries = []
    for parent in flow.predecessors[label]:
        id = incoming.get(parent)
        if id is None:
            raise body.fault(instruction, "an incoming value is missing for a predecessor")
        value = body.value(id)
        if value.type != type or value.variable or value.pair is not None:
            raise body.fault(instruction, "an incoming value differs from the result type")
        entries.append(f"[ {value.text}, %b.{parent} ]")
    if set(incoming) & set(flow.predecessors) - set(flow.predecessors[label]):
        raise body.fault(instruction, "an incoming value belongs to a block that is not a predecessor")
    return f"  %p.{instruction.result} = phi {type.llvm} {', '.join(entries)}"
