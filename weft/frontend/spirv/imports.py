"""Built-in functions of OpenCL C that a module imports by their mangled names.

Some compilers emit calls of built-ins as imports, with numbered address spaces:

    %f = OpFunction …                          ; decorated LinkageAttributes "_Z10atomic_incPU3AS1Vi" Import

Weft's library defines the function as `_Z10atomic_incPU8CLglobalVi`. The parameter types in the name must
match the declaration; the result type follows from them. Other built-in functions cannot be imported.
"""

import re

from weft.frontend.pipes import PIPE_FUNCTION
from weft.frontend.spirv.errors import InvalidModule
from weft.frontend.spirv.grammar import opencl_std
from weft.frontend.spirv.mangle import Parameter, mangle
from weft.frontend.spirv.types import VOID, Float, Int, Opaque, Pointer, Signature, Type
from weft.frontend.spirv.variables import SCALARS, VECTORS
from weft.lazy_pattern import lazy_pattern

_MANGLED = lazy_pattern(r"_Z(\d+)(\w+)", re.ASCII)
_PARAMETER = lazy_pattern(
    r"(P)(?:U3AS([0-4]))?[VK]*(?:U7_Atomic)?([ijlmfd]|Dh)|([ijlmfd]|Dh|12memory_order|12memory_scope)"
)
_SPACES = ("", "U8CLglobal", "U10CLconstant", "U7CLlocal", "U9CLgeneric")
_STORAGES = ("Function", "CrossWorkgroup", "UniformConstant", "Workgroup", "Generic")
_NUMBERED = lazy_pattern(r"(?<=P)U3AS([0-4])")
# Prefix of the mangled names of image types, after their length.
_IMAGE = lazy_pattern(r"\d+ocl_image")
_LETTERS = {"i": "i32", "j": "i32", "l": "i64", "m": "i64", "f": "float", "d": "double", "Dh": "half"}
_LETTERS |= {"12memory_order": "i32", "12memory_scope": "i32"}

# Atomic functions return the pointee type; fences return nothing.
_ATOMIC = lazy_pattern(
    r"atom(?:ic)?_(?:add|sub|xchg|inc|dec|cmpxchg|min|max|and|or|xor)|atomic_fetch_(?:min|max)(?:_explicit)?"
)
_FENCE = lazy_pattern(r"(?:read_|write_)?mem_fence|sub_group_barrier")
# Functions from an image to an int.
_QUERY = lazy_pattern(r"get_image_(?:channel_order|channel_data_type|width|height|depth)")
# A function from a generic pointer to fence flags.
_FENCE_OF = lazy_pattern(r"PU3AS4K?v")
# clang's names of to_global and similar functions, and the storage classes of their results.
_CASTS = {"__to_private": "Function", "__to_global": "CrossWorkgroup", "__to_local": "Workgroup"}
_SATURATING = lazy_pattern(r"llvm\.([su])(add|sub)\.sat\.i(8|16|32|64)")
# Names that the library or the compiler may know.
_BUILT_IN = lazy_pattern(
    r"(?:convert|vload|vstore|read_image|write_image|get_|atom_|atomic_|async_|work_group_|sub_group_)\w*"
    r"|(?:barrier|mem_fence|read_mem_fence|write_mem_fence|wait_group_events|prefetch|printf|dot|any|all)"
    r"|is\w+|signbit|popcount|ctz"
)


def built_in_symbol(name: str, signature: Signature) -> str | None:
    """Return Weft's symbol of an imported built-in function; None if it is not a built-in."""
    saturating = _SATURATING.fullmatch(name)
    if saturating:
        return _saturating(name, saturating, signature)
    if name in _CASTS:
        storage = signature.returns.storage if isinstance(signature.returns, Pointer) else ""
        if not _has_generic_pointer(signature, storage == _CASTS[name]):
            raise InvalidModule(f"function {name!r} is imported with the wrong types")
        return name
    if PIPE_FUNCTION.fullmatch(name):
        raise InvalidModule(f"function {name!r} cannot be imported")
    mangled = _MANGLED.fullmatch(name)
    if mangled is None or len(mangled[2]) < int(mangled[1]):
        return None
    function = mangled[2][: int(mangled[1])]
    letters = mangled[2][int(mangled[1]) :]
    if _QUERY.fullmatch(function):
        (image,) = signature.parameters if len(signature.parameters) == 1 else (None,)
        right = isinstance(image, Opaque) and image.mangled == letters and signature.returns.llvm == "i32"
        if right and _IMAGE.match(letters):
            return name
        raise InvalidModule(f"built-in function {function!r} is imported with the wrong types")
    if function == "get_fence":
        if not _FENCE_OF.fullmatch(letters) or not _has_generic_pointer(
            signature, signature.returns.llvm == "i32"
        ):
            raise InvalidModule(f"built-in function {function!r} is imported with the wrong types")
        return _NUMBERED.sub(lambda space: _SPACES[int(space[1])], name)
    if not _ATOMIC.fullmatch(function) and not _FENCE.fullmatch(function):
        if function in _names() or _BUILT_IN.fullmatch(function):
            raise InvalidModule(f"built-in function {function!r} cannot be imported")
        return None
    named = list(_PARAMETER.finditer(letters))
    right = "".join(p[0] for p in named) == letters and len(named) == len(signature.parameters)
    right = right and all(map(_fits, named, signature.parameters))
    if _FENCE.fullmatch(function):
        right = right and signature.returns is VOID
    else:
        right = right and bool(named) and named[0][1] == "P"
        right = right and signature.returns.llvm == _LETTERS[named[0][3]]
    if not right:
        raise InvalidModule(f"built-in function {function!r} is imported with the wrong types")
    return _NUMBERED.sub(lambda space: _SPACES[int(space[1])], name)


def _has_generic_pointer(signature: Signature, result_is_right: bool) -> bool:
    """Return whether a generic pointer is the only parameter of a function."""
    (pointer,) = signature.parameters if len(signature.parameters) == 1 else (None,)
    return result_is_right and isinstance(pointer, Pointer) and pointer.storage == "Generic"


def _saturating(name: str, match: re.Match[str], signature: Signature) -> str:
    """Return the OpenCL C function for an LLVM intrinsic that translators leave as an import."""
    type = signature.returns
    right = isinstance(type, Int) and type.width == int(match[3]) and signature.parameters == (type, type)
    if not right:
        raise InvalidModule(f"function {name!r} is imported with the wrong types")
    return mangle(f"{match[2]}_sat", [Parameter(type, match[1] == "s")] * 2)


def _fits(parameter: re.Match[str], type: Type) -> bool:
    """Return whether a type matches a component of a mangled name; only the name has the pointee type."""
    if parameter[1]:
        return isinstance(type, Pointer) and type.storage == _STORAGES[int(parameter[2] or 0)]
    return isinstance(type, Int | Float) and type.llvm == _LETTERS[parameter[4]]


def _names() -> set[str]:
    """Return the functions that instructions and built-in variables stand for."""
    names = {entry.name.removeprefix("s_").removeprefix("u_") for entry in opencl_std().values()}
    return names | set(VECTORS.values()) | {function for function, _ in SCALARS.values()}
