"""Emit the description of kernels as the metadata that clang attaches to OpenCL C kernels."""

from weft.frontend.spirv.body import Program
from weft.frontend.spirv.errors import InvalidModule
from weft.frontend.spirv.module import Function, Module
from weft.frontend.spirv.types import SPACES, Array, Float, Int, Opaque, Pointer, Struct, Type, Types, Vector
from weft.lazy_pattern import lazy_pattern

_INTEGERS = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}
_FLOATS = {16: "half", 32: "float", 64: "double"}
_SIZES = {
    "LocalSize": "reqd_work_group_size",
    "LocalSizeId": "reqd_work_group_size",
    "LocalSizeHint": "work_group_size_hint",
    "LocalSizeHintId": "work_group_size_hint",
}
_SUB_GROUP_SIZE = "intel_reqd_sub_group_size"
_TAG = lazy_pattern(r"^(?:struct|union|class)\.")
# Element types of OpVecTypeHint by number.
_HINTS = ("i8", "i16", "i32", "i64", "half", "float", "double")


def quoted(text: str) -> str:
    """Return a metadata string."""
    data = text.encode("utf-8", "surrogateescape")
    return '!"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data) + '"'


def metadata(program: Program, function: Function, parameters: list[Type]) -> str:
    """Return the attachments of a kernel's definition, with a leading space."""
    module, types, output = program.module, program.types, program.output
    ids = [parameter.result for parameter in function.parameters]
    spelled = _spelled_types(module, module.entry_points[function.id], len(ids))
    names = [module.names.get(id, "") for id in ids]
    kinds = [
        source_name or _type_name(module, types, type)
        for type, source_name in zip(parameters, spelled or [""] * len(ids), strict=True)
    ]
    lists = {
        "addr_space": [f"i32 {_space(type)}" for type in parameters],
        "access_qual": [quoted(type.access if isinstance(type, Opaque) else "none") for type in parameters],
        "type": [quoted(kind) for kind in kinds],
        "base_type": [quoted(kind) for kind in kinds],
        "type_qual": [quoted(_qualifiers(module, i, t)) for i, t in zip(ids, parameters, strict=True)],
        "name": [quoted(name) for name in names],
    }
    attachments = {f"kernel_arg_{kind}": f"!{{{', '.join(words)}}}" for kind, words in lists.items()}
    modes = module.modes.get(function.id, {})
    for mode, kind in _SIZES.items():
        sizes = modes.get(mode)
        if sizes is None:
            continue
        if mode.endswith("Id"):
            sizes = tuple(program.constants.integer(id) for id in sizes if isinstance(id, int))
        if not all(isinstance(size, int) and 0 < size < 1 << 31 for size in sizes):
            raise InvalidModule(f"execution mode {mode}: sizes must be between 1 and 2147483647")
        attachments[kind] = f"!{{{', '.join(f'i32 {size}' for size in sizes)}}}"
    in_sub_group = modes.get("SubgroupSize")
    if in_sub_group:
        attachments[_SUB_GROUP_SIZE] = f"!{{i32 {in_sub_group[0]}}}"
    hint = modes.get("VecTypeHint")
    if hint and isinstance(hint[0], int) and hint[0] & 0xFFFF < len(_HINTS):
        element, count = _HINTS[hint[0] & 0xFFFF], hint[0] >> 16
        type_hint = f"<{count} x {element}>" if count in (2, 3, 4, 8, 16) else element
        attachments["vec_type_hint"] = f"!{{{type_hint} poison, i32 0}}"
    return "".join(f" !{kind} {output.node(text)}" for kind, text in attachments.items())


def _space(type: Type) -> int:
    if isinstance(type, Opaque):
        return 1 if type.name.startswith("image") or type.name == "pipe" else 0
    return SPACES[type.storage] if isinstance(type, Pointer) else 0


def _spelled_types(module: Module, kernel: str, count: int) -> list[str]:
    """Return the types as spelled in the source, which some compilers store in a string."""
    start = f"kernel_arg_type.{kernel}."
    for text in module.strings.values():
        if text.startswith(start):
            types = text.removeprefix(start).rstrip(",").split(",")
            if len(types) == count:
                return types
    return []


def _type_name(module: Module, types: Types, type: Type) -> str:
    """Return OpenCL C's name of a type; modules do not record whether integers are signed."""
    match type:
        case Int():
            return _INTEGERS[type.width]
        case Float():
            return _FLOATS[type.width]
        case Vector():
            return f"{_type_name(module, types, type.element)}{type.count}"
        case Opaque():
            return type.name
        case Struct():
            return _TAG.sub("", module.names.get(type.id, "")) or "struct"
        case Array():
            return f"{_type_name(module, types, type.element)}[{type.count}]"
        case Pointer(storage="Function"):  # a structure by value
            return _type_name(module, types, _below(types, type))
        case Pointer():
            below = _below(types, type)
            inner = "void" if isinstance(below, Pointer) else _type_name(module, types, below)
            return f"{inner}*"
    return "void"


def _below(types: Types, type: Pointer) -> Type:
    return types.pointee(type)


def attributes(module: Module, parameter: int) -> set[str]:
    """Return the attributes of a parameter."""
    operand_lists = module.decorations.get(parameter, {}).get("FuncParamAttr", [])
    return {str(operands[0]) for operands in operand_lists if operands}


def _qualifiers(module: Module, parameter: int, type: Type) -> str:
    if isinstance(type, Opaque) and type.name == "pipe":
        return "pipe"
    if not isinstance(type, Pointer) or type.storage == "Function":
        return ""
    parameter_attributes = attributes(module, parameter)
    words = []
    if "NoWrite" in parameter_attributes or type.storage == "UniformConstant":
        words.append("const")
    if "NoAlias" in parameter_attributes or module.is_decorated(parameter, "Restrict"):
        words.append("restrict")
    if module.is_decorated(parameter, "Volatile"):
        words.append("volatile")
    return " ".join(words)
