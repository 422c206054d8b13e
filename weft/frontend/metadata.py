"""Read the description of kernels from the metadata that clang attaches to them.

clang writes, for a kernel `k` (which is compiled with -cl-kernel-arg-info):

    define dso_local spir_kernel void @k(...) #0 !kernel_arg_addr_space !8 !kernel_arg_name !12 ... {
    !8 = !{i32 1, i32 0}
    !12 = !{!"a", !"b"}

A few regular expressions over the module's text are much faster than parsing the whole IR.
"""

import re

from weft.dataclasses import dataclass
from weft.lazy_pattern import lazy_pattern

ADDRESS_SPACES = ("private", "global", "constant", "local", "generic")

# Patterns with a literal prefix, such as the end of the preceding line, match many times faster.
_KERNEL = lazy_pattern(
    r'\ndefine [^@\n]*\bspir_kernel void @("[^"\n]*"|[\w.$-]+)\(.*\)[^)\n]*\{$', re.MULTILINE
)
# Attributes of functions, in the line that defines one or in a numbered group.
UNIFORM_GROUPS = '"uniform-work-group-size"="true"'
_UNIFORM_GROUP = lazy_pattern(rf"\nattributes #(\d+) = \{{[^\n]*{UNIFORM_GROUPS}")
_GROUP = lazy_pattern(r" #(\d+)\b")
_ATTACHMENT = lazy_pattern(r"!(\w+) !(\d+)")
_NODE = lazy_pattern(r"\n!(\d+) = (?:distinct )?!\{(.*)\}$", re.MULTILINE)
_STRING = lazy_pattern(r'!"([^"]*)"')
_INTEGER = lazy_pattern(r"\bi32 (-?\d+)")
_ESCAPE = lazy_pattern(r"\\([0-9A-Fa-f]{2})")
_HINT = lazy_pattern(r"^(?:<(\d+) x )?(\w+)>? \w+, i32 ([01])$")
_SPELLED_SPACE = lazy_pattern(r"\b__(private|global|constant|local|generic) ")
_SPELLED_TAG = lazy_pattern(r"\b(?:struct|union|enum) ")

# OpenCL C's names of LLVM's integer types; unsigned ones have the prefix u.
_INTEGERS = {"i8": "char", "i16": "short", "i32": "int", "i64": "long"}


@dataclass(frozen=True)
class KernelArgument:
    """One argument, as described by clGetKernelArgInfo."""

    name: str
    type_name: str
    address_space: str
    access: str
    qualifiers: frozenset[str]


@dataclass(frozen=True)
class KernelInfo:
    """One kernel, as its source declares it; `attributes` is the value of CL_KERNEL_ATTRIBUTES."""

    name: str
    arguments: tuple[KernelArgument, ...]
    reqd_work_group_size: tuple[int, int, int] | None = None
    work_group_size_hint: tuple[int, int, int] | None = None
    vec_type_hint: str | None = None
    sub_group_size: int | None = None  # the required sub-group size
    attributes: str = ""
    uniform_groups: bool = True  # the local size of a launch must divide its global size


def read_kernels(ir: str) -> tuple[KernelInfo, ...]:
    """Return the kernels that a module from clang defines, in source order."""
    ir = f"\n{ir}"
    definitions = list(_KERNEL.finditer(ir))
    if not definitions:
        return ()
    nodes = dict(_NODE.findall(ir))
    uniform = set(_UNIFORM_GROUP.findall(ir))
    return tuple(_kernel(definition, nodes, uniform) for definition in definitions)


def _kernel(definition: re.Match[str], nodes: dict[str, str], uniform: set[str]) -> KernelInfo:
    # Attachments follow the parameter list, which may contain a `)`. Debug information (!dbg) is also
    # attached, but is not a list.
    attached = {kind: nodes[n] for kind, n in _ATTACHMENT.findall(definition[0]) if n in nodes}
    required = _sizes(attached.get("reqd_work_group_size"))
    hint = _sizes(attached.get("work_group_size_hint"))
    vector = _vector_type(attached.get("vec_type_hint"))
    in_sub_group = _INTEGER.search(attached.get("intel_reqd_sub_group_size", ""))
    attributes = []
    for kind, value in (
        ("reqd_work_group_size", required and ",".join(map(str, required))),
        ("work_group_size_hint", hint and ",".join(map(str, hint))),
        ("vec_type_hint", vector),
        ("intel_reqd_sub_group_size", in_sub_group and in_sub_group[1]),
    ):
        if value:
            attributes.append(f"{kind}({value})")
    return KernelInfo(
        name=_unescape(definition[1].strip('"')),
        arguments=_arguments(attached),
        reqd_work_group_size=required,
        work_group_size_hint=hint,
        vec_type_hint=vector,
        sub_group_size=int(in_sub_group[1]) if in_sub_group else None,
        attributes=" ".join(attributes),
        uniform_groups=UNIFORM_GROUPS in definition[0]
        or not uniform.isdisjoint(_GROUP.findall(definition[0])),
    )


def _arguments(attached: dict[str, str]) -> tuple[KernelArgument, ...]:
    """Convert the five parallel lists of argument metadata to a record per argument."""
    return tuple(
        KernelArgument(
            name=_unescape(name),
            type_name=_type_name(_unescape(type_name)),
            address_space=_space_of_reference(_unescape(type_name)) or ADDRESS_SPACES[int(space)],
            access=access,
            qualifiers=frozenset(qualifiers.split()),
        )
        for name, type_name, space, access, qualifiers in zip(
            _STRING.findall(attached["kernel_arg_name"]),
            _STRING.findall(attached["kernel_arg_type"]),
            _INTEGER.findall(attached["kernel_arg_addr_space"]),
            _STRING.findall(attached["kernel_arg_access_qual"]),
            _STRING.findall(attached["kernel_arg_type_qual"]),
            strict=True,
        )
    )


def _space_of_reference(spelled: str) -> str | None:
    """Return the address space of a C++ reference parameter, which clang encodes only in its type."""
    spaces = _SPELLED_SPACE.findall(spelled) if spelled.endswith("&") else ()
    return spaces[-1] if spaces else None


def _type_name(spelled: str) -> str:
    """Remove from clang's spelling what CL_KERNEL_ARG_TYPE_NAME omits: address spaces, tags, white space."""
    bare = _SPELLED_TAG.sub("", _SPELLED_SPACE.sub("", spelled))
    return bare.replace(" ", "")


def _sizes(body: str | None) -> tuple[int, int, int] | None:
    if body is None:
        return None
    x, y, z = (int(size) for size in _INTEGER.findall(body))
    return x, y, z


def _vector_type(body: str | None) -> str | None:
    """Convert `<4 x i32> poison, i32 0` (element type, then whether it is signed) to OpenCL C: uint4."""
    hint = _HINT.match(body) if body else None
    if hint is None:
        return None
    width, element, signed = hint.groups()
    name = _INTEGERS.get(element)
    if name is None:
        name = element
    elif signed == "0":
        name = f"u{name}"
    return name + (width or "")


def _unescape(text: str) -> str:
    """Decode LLVM's \\xx escapes of bytes outside printable ASCII; identifiers of the source are UTF-8."""
    if "\\" not in text:
        return text
    raw = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)
    return raw.encode("latin-1").decode("utf-8", "surrogateescape")
