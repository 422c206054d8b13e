"""Arguments for every parameter of every entry: hypothesis chooses among good, odd and absurd ones.

Memory safety is the caller's part of the contract: a pointer that is not NULL points to enough memory for
any count and size that goes with it. Everything else may be wrong in any combination.
"""

import re
from typing import Any

from fuzz_world import ARRAY, NULL, World
from hypothesis import strategies as st
from shim_library import ffi

from weft.api import constants as c
from weft.icd.prototypes import Parameter, Prototype

HUGE = (1 << 31, 1 << 40, 1 << 63, (1 << 64) - 1)
SIZES = (0, 1, 2, 3, 4, 7, 8, 16, 64, 128, 4096, 1 << 20)
FEW = (0, 1, 2, 4, 16, 64)  # sizes with which memory of the host is addressed
NUMBERS = sorted(
    {
        value
        for name, value in vars(c).items()
        if name.startswith("CL_") and isinstance(value, int) and value >= 0
    }
)
PROPERTY_LISTS = (
    [],
    [c.CL_CONTEXT_PLATFORM, 0],
    [c.CL_CONTEXT_PLATFORM, 12345],
    [c.CL_QUEUE_PROPERTIES, 3],
    [c.CL_QUEUE_PROPERTIES, 1 << 40],
    [c.CL_QUEUE_SIZE, 7],
    [c.CL_DEVICE_PARTITION_EQUALLY, 1],
    [c.CL_DEVICE_PARTITION_EQUALLY, 1 << 40],
    [c.CL_DEVICE_PARTITION_BY_COUNTS, 1, 0],
    [c.CL_SAMPLER_FILTER_MODE, c.CL_FILTER_LINEAR],
    [c.CL_COMMAND_BUFFER_FLAGS_KHR, c.CL_COMMAND_BUFFER_MUTABLE_KHR],
    [c.CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, c.CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR],
    [9999, 1],
)

numbers = st.one_of(st.sampled_from(NUMBERS), st.sampled_from((*SIZES, *HUGE)), st.integers(0, 64))
sizes = st.sampled_from((*SIZES, *HUGE))
few = st.sampled_from(FEW)
small = st.integers(0, ARRAY)
choice = st.integers(0, 1 << 16)
coin = st.booleans()
rarely = st.integers(0, 7).map(lambda value: value == 0)


def _is_of_addresses(prototype: Prototype) -> bool:
    """Whether a function works on plain addresses: shared virtual memory, unified shared memory."""
    return "SVM" in prototype.name or prototype.name.endswith("INTEL")


def _is_host_side(prototype: Prototype, parameter: Parameter) -> bool:
    """Whether a size says where memory of the host is read or written, which nothing can check."""
    name = parameter.name
    if _is_of_addresses(prototype) or name.startswith(("host_", "image_")) or "pitch" in name:
        return True
    read = ("args", "host_ptr", "il")
    return name in ("cb_args", "size", "length") and any(p.name in read for p in prototype.parameters)


def arguments(draw: Any, world: World, prototype: Prototype) -> list[Any]:
    """One value for each parameter."""
    world.kept.clear()
    drawn = [_argument(draw, world, prototype, parameter) for parameter in prototype.parameters]
    # A count is small when an array goes with it.
    for index, parameter in enumerate(prototype.parameters):
        if parameter.type != "cl_uint" or not re.match(r"num_|count|work_dim", parameter.name):
            continue
        following = zip(prototype.parameters[index + 1 :], drawn[index + 1 :], strict=True)
        if any("*" in p.type and value for p, value in following):
            drawn[index] %= ARRAY + 1
    return drawn


def _argument(draw: Any, world: World, prototype: Prototype, parameter: Parameter) -> Any:
    kind, name = parameter.type, parameter.name
    if name == "errcode_ret":
        return world.code
    if kind in world.handles:
        return _handle(draw, world, kind)
    if kind == "callback":
        return world.callback if draw(coin) else 0
    if "*" in kind:
        return _pointer(draw, world, prototype, parameter)
    if kind == "size_t":
        if name == "param_value_size" or name == "input_value_size":
            return draw(st.sampled_from((0, 1, 4, 8, 64, 1 << 16)))
        return draw(few if _is_host_side(prototype, parameter) else sizes)
    if kind == "cl_bool":
        return draw(st.sampled_from((0, 1, 1, 77)))
    if parameter.c_type == "int32_t":
        return draw(st.sampled_from((0, 1, 2, 3, -1, -5, 77)))
    if kind == "cl_uint":
        return draw(st.sampled_from((0, 1, 2, 3, 4, 64, (1 << 32) - 1)))
    bits = 64 if "uint64" in parameter.c_type or "uintptr" in parameter.c_type else 32
    value = draw(numbers)
    if draw(coin):
        value |= draw(numbers)
    return value % (1 << bits)


def _handle(draw: Any, world: World, kind: str) -> int:
    """Mostly a live object of the right kind; else NULL, garbage, a dead one or one of another kind."""
    pick = draw(choice)
    if draw(st.integers(0, 5)):
        live = world.handles[kind]
        return live[pick % len(live)] if live else 0
    others = [handle for handles in world.handles.values() for handle in handles]
    return (0, 0x1234567, world.dead, world.platform + 8, others[pick % len(others)])[pick % 5]


def _keep(world: World, declaration: str, values: Any) -> Any:
    made = ffi.new(declaration, values)
    world.kept.append(made)
    return made


def _pointer(draw: Any, world: World, prototype: Prototype, parameter: Parameter) -> Any:
    kind, name = parameter.type, parameter.name
    opaque = parameter.c_type == "uintptr_t"
    if draw(rarely):
        return 0 if opaque else NULL
    made = _pointee(draw, world, prototype, kind, name)
    if opaque:
        return int(ffi.cast("uintptr_t", made))
    return ffi.cast(parameter.c_type, made)


def _pointee(draw: Any, world: World, prototype: Prototype, kind: str, name: str) -> Any:
    base = kind.replace("const ", "").rstrip("* ")
    if base in world.handles:
        return _keep(world, "uintptr_t[]", [_handle(draw, world, base) for _ in range(ARRAY)])
    if "propert" in base or "propert" in name:
        return _keep(world, "uint64_t[]", [*draw(st.sampled_from(PROPERTY_LISTS)), 0, 0])
    if base == "size_t":
        limited = name in ("lengths", "sizes") or "host" in name or "Image" in prototype.name
        return _keep(world, "size_t[]", [draw(few if limited else sizes) for _ in range(ARRAY)])
    if base in ("char", "unsigned char"):
        texts = [world.strings[draw(choice) % len(world.strings)] for _ in range(ARRAY)]
        if kind.count("*") == 1:
            return texts[0]
        return _keep(world, "char *[]", [NULL if draw(rarely) else text for text in texts])
    if name == "configs":  # of mutable commands, with lists that are empty
        made = _keep(world, "uint64_t[]", [_handle(draw, world, "cl_mutable_command_khr"), *[0] * 8])
        return _keep(world, "uintptr_t[]", [int(ffi.cast("uintptr_t", made))] * ARRAY)
    if kind.count("*") == 2:  # addresses of arguments or of shared memory, NULL for what would be freed
        start = 0 if "SVM" in prototype.name else int(ffi.cast("uintptr_t", world.scratch))
        return _keep(world, "uintptr_t[]", [start + 8 * n if start else 0 for n in range(ARRAY)])
    if name in ("param_value", "input_value"):
        ffi.memmove(world.values, bytes(1 << 16), 1 << 16)
        return world.values
    if name == "arg_value" and not _is_of_addresses(prototype):
        first = _handle(draw, world, "cl_mem") if draw(coin) else draw(choice)
        return _keep(world, "uint64_t[]", [first, *[0] * 15])
    if name == "buffer_create_info":
        return _keep(world, "size_t[]", [draw(sizes), draw(sizes)])
    if name in ("image_format", "image_desc"):
        return _keep(world, "uint64_t[]", _structure(draw, name))
    if name == "svm_pointer":
        return world.scratch + draw(st.integers(1, 64))
    return world.scratch


def _structure(draw: Any, name: str) -> list[int]:
    if name == "image_format":
        order = draw(st.integers(0x10B0, 0x10C4))
        return [order | draw(st.integers(0x10D0, 0x10E1)) << 32]
    kind = draw(st.integers(0x10F0, 0x10F8))
    extents = [draw(st.sampled_from((0, 1, 4, 16, 1 << 40))) for _ in range(4)]
    return [kind, *extents, draw(few), draw(few), 0, 0]
