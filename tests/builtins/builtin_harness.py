"""Runs built-ins over numpy arrays: OpenCL C wrappers through the front end, the library and the JIT."""

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weft.builtins.library import DEFAULT, BuiltinFlags, Resolution, link_in
from weft.codegen.host import host_target
from weft.codegen.jit import LoadedCode, load
from weft.codegen.optimise import emit_object
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options
from weft.target import Target, x86

NUMPY = {
    "char": np.int8,
    "uchar": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "long": np.int64,
    "ulong": np.uint64,
    "float": np.float32,
    "double": np.float64,
    "half": np.float16,
}
INTEGERS = tuple(NUMPY)[:8]
HALF_PRAGMA = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable"


@dataclass(frozen=True)
class Case:
    """An expression over parameters a, b, c, each `element` or `element` + "1" for a scalar among vectors."""

    expression: str
    result: str
    parameters: tuple[str, ...]
    width: int = 1


@dataclass
class Compiled:
    """The loop functions of a set of cases, in memory."""

    addresses: dict[Case, int]
    code: LoadedCode

    def __call__(self, case: Case, *arrays: np.ndarray) -> np.ndarray:
        """Applies the case to arrays of elements, `width` at a time; returns the elements of the result."""
        blocks = [
            _pack(_element(p), np.asarray(a), _width(p, case.width))
            for p, a in zip(case.parameters, arrays, strict=False)
        ]
        count = min(len(block) for block in blocks)
        width = 1 if case.result.endswith("1") else case.width
        out = _aligned((count, 4 if width == 3 else width), NUMPY[_element(case.result)])
        types = [ctypes.c_void_p] * (1 + len(blocks)) + [ctypes.c_uint64]
        function = ctypes.CFUNCTYPE(None, *types)(self.addresses[case])
        function(out.ctypes.data, *(block.ctypes.data for block in blocks), count)
        return out[:, :width].reshape(-1)


def compile_cases(
    cases: Sequence[Case], cpu: str | None = None, flags: BuiltinFlags = DEFAULT, level: int = 0
) -> Compiled:
    """Compiles the cases in one go; `cpu` sets what the library is compiled for."""
    cases = list(dict.fromkeys(cases))
    source = "\n".join([HALF_PRAGMA, *(_loop(i, case) for i, case in enumerate(cases))])
    names = [f"case_{i}" for i in range(len(cases))]
    target = host_target()
    ir = compile_source(source, parse_options("-cl-std=CL3.0"), target).ir
    resolution = resolve(ir, target if cpu is None else _library_target(cpu), flags)
    assert not resolution.missing, resolution.missing
    pointers = ", ".join(f"ptr @{name}" for name in names)
    ir += f"\n@table = constant [{len(names)} x ptr] [{pointers}]\n"
    code = emit_object([ir, *resolution.modules], target, level, ["table"])
    # Loading costs a few milliseconds however many functions there are, so one table leads to all of them.
    loaded = load(code, "table")
    table = (ctypes.c_uint64 * len(cases)).from_address(loaded.address)
    return Compiled(dict(zip(cases, table, strict=True)), loaded)


def _library_target(cpu: str) -> Target:
    """A processor that the library is compiled for, but for instructions that the host lacks."""
    return replace(x86.describe(cpu), table_lookups=host_target().table_lookups)


def resolve(ir: str, target: Target, flags: BuiltinFlags = DEFAULT) -> Resolution:
    """Looks up all built-ins that a module declares."""
    return link_in(re.findall(r"^declare .*@(_Z\w+)\(", ir, re.MULTILINE), target, flags)


def _element(parameter: str) -> str:
    return parameter.rstrip("1")


def _width(parameter: str, width: int) -> int:
    return 1 if parameter.endswith("1") else width


def _pack(element: str, values: np.ndarray, width: int) -> np.ndarray:
    values = values.astype(NUMPY[element], copy=False)
    rows = values[: len(values) // width * width].reshape(-1, width)
    if width == 3:
        rows = np.concatenate([rows, rows[:, :1]], axis=1)
    block = _aligned(rows.shape, rows.dtype)
    block[:] = rows
    return block


def _aligned(shape: tuple[int, ...], dtype: np.typing.DTypeLike) -> np.ndarray:
    """Zeros at an address that is a multiple of 128, as vectors in memory need it."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + 128, np.uint8)
    start = -raw.ctypes.data % 128
    return raw[start : start + size].view(dtype).reshape(shape)


def _loop(index: int, case: Case) -> str:
    def spell(parameter: str) -> str:
        width = _width(parameter, case.width)
        return _element(parameter) + (str(width) if width > 1 else "")

    names = "abcdef"[: len(case.parameters)]
    parameters = "".join(
        f", global const {spell(p)} *p{n}" for p, n in zip(case.parameters, names, strict=True)
    )
    loads = "".join(f"{spell(p)} {n} = p{n}[i]; " for p, n in zip(case.parameters, names, strict=True))
    return (
        f"void case_{index}(global {spell(case.result)} *out{parameters}, ulong n) {{\n"
        f"  for (ulong i = 0; i < n; ++i) {{ {loads}out[i] = {case.expression}; }}\n}}"
    )
