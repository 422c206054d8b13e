"""The compiler: from OpenCL C to machine code that runs work-groups.

`build` takes a program through the front end (clBuildProgram). `compile_work_group` is THE pipeline: it
takes one kernel to the work-group function for a local size (at the first launch with that size).
Both keep their results in the on-disk cache.
"""

import json
import os
import re
import struct
import threading
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from weft import __version__, abi, ir, settings
from weft.analysis.barrier_cfg import barrier_cfg
from weft.analysis.divergence import divergence
from weft.analysis.kernel_variables import kernel_variables
from weft.analysis.work_items import BARRIERS, LOCAL_SIZE_DEPENDENT, WORK_ITEM_FUNCTIONS
from weft.builtins.library import BuiltinFlags, library_key, link_in
from weft.codegen import jit
from weft.codegen.cache import default_cache, digest
from weft.codegen.canonicalise import canonicalise
from weft.codegen.optimise import emit_object
from weft.codegen.program_text import ProgramText
from weft.codegen.target import Target, host_target
from weft.errors import BuildError
from weft.frontend.compile import compile_source, translation_key, unchanged
from weft.frontend.metadata import KernelArgument, KernelInfo
from weft.frontend.options import BuildOptions, parse_options
from weft.ir.types import align_up, alignment_of, size_of
from weft.trace import Trace
from weft.transform.canonical.isolate_barriers import isolate_barriers
from weft.transform.passes import PREFIX, Contracts
from weft.transform.workgroup.context_arrays import capacity
from weft.transform.workgroup.interchange_inner_loops import interchange_inner_loops
from weft.transform.workgroup.keep_only import keep_only
from weft.transform.workgroup.locals_to_arguments import local_layout, locals_to_arguments
from weft.transform.workgroup.place_implicit_barriers import place_implicit_barriers
from weft.transform.workgroup.work_group_function import Placement, work_group_function

LocalSize = tuple[int, int, int]

# Kernels launched with more local sizes than this get one function for all further sizes.
MAX_SPECIALIZATIONS = 16

# Work-item loops shorter than this are not worth what it takes to vectorize them.
MIN_LANES = 4

# What precedes the object code in the cache: bytes of context arena per work-item and per work-group.
_CONTEXT_BYTES = struct.Struct("<QQ")


def compile_work_group(
    kernel: "Kernel", local_size: LocalSize | None, wide: bool, target: Target, trace: Trace
) -> tuple[bytes, int, int]:
    """One kernel to object code for a local size (None: any); also context bytes per item and per group."""
    module = trace.step("canonical", lambda: ir.parse(kernel.text))
    function = module.function(kernel.name)
    trace.run("isolate-barriers", module, lambda: isolate_barriers(function))
    local_variables, _ = trace.run("locals-to-arguments", module, lambda: locals_to_arguments(function))
    shape = divergence(function)
    if kernel.method != "loops" and worth_vectorizing(local_size):
        always = kernel.method == "horizontal"
        trace.run("interchange-inner-loops", module, lambda: interchange_inner_loops(function, shape, always))
    trace.run("place-implicit-barriers", module, lambda: place_implicit_barriers(function, shape))
    cfg = barrier_cfg(function)
    variables = kernel_variables(function, cfg, shape)
    placements = dict(zip(function.arguments, kernel.placements(), strict=False))
    placements |= {v.argument: Placement("automatic", v.offset) for v in local_variables}
    name = f"{PREFIX}{kernel.name}"
    made, layout = trace.run(
        "work-group-function",
        module,
        lambda: work_group_function(function, name, cfg, variables, placements, local_size, wide),
    )
    trace.run("keep-only", module, lambda: keep_only(module, made))
    text = ir.print_module(module)
    library = link_in(kernel.builtins, target.cpu, kernel.flags.builtins)
    code = emit_object([text, *library.modules], target, kernel.flags.level, [name])
    return code, layout.item_bytes, layout.group_bytes


def worth_vectorizing(local_size: LocalSize | None) -> bool:
    """Whether work-groups of that size have enough work-items for SIMD lanes."""
    return local_size is None or max(local_size) >= MIN_LANES


@dataclass(frozen=True)
class Flags:
    """What the build options mean for code generation."""

    level: int
    builtins: BuiltinFlags


@dataclass(frozen=True)
class ArgumentLayout:
    """One kernel argument: what clSetKernelArg takes, and its slot in the argument block."""

    kind: str  # "value", "global", "constant" or "local"
    size: int
    alignment: int
    offset: int
    by_reference: bool = False  # the kernel gets the slot's address (structures)


@dataclass(frozen=True)
class WorkGroupFunction:
    """Machine code that runs a work-group, and the arenas it needs."""

    address: int
    local_bytes: int
    context_bytes: int
    code: jit.LoadedCode


class Kernel:
    """One kernel of a built program."""

    def __init__(self, info: KernelInfo, text: str, arguments: tuple[ArgumentLayout, ...], local_bytes: int,
                 symbols: frozenset[str], flags: Flags) -> None:  # fmt: skip
        self.name = info.name
        self.info = info
        self.text = text
        self.arguments = arguments
        self.argument_bytes = max((a.offset + a.size for a in arguments), default=0)
        self.local_bytes = local_bytes
        self.private_bytes = 0
        self.flags = flags
        self.method: str = settings.get("WEFT_WORKGROUP")
        used = {WORK_ITEM_FUNCTIONS[s].name for s in symbols if s in WORK_ITEM_FUNCTIONS}
        self.uses_barrier = not symbols.isdisjoint(BARRIERS)
        self.uses_local_ids = not used.isdisjoint(LOCAL_SIZE_DEPENDENT)
        self.builtins = tuple(sorted(symbols - BARRIERS - WORK_ITEM_FUNCTIONS.keys()))
        self._loaded: dict[tuple[LocalSize | None, bool], tuple[jit.LoadedCode, int, int]] = {}
        self._lock = threading.Lock()

    def placements(self) -> list[Placement]:
        """Where the work-group function finds each parameter."""
        kinds = {"local": "local"}
        return [
            Placement("byval" if a.by_reference else kinds.get(a.kind, "value"), a.offset)
            for a in self.arguments
        ]

    def work_group_function(self, local_size: LocalSize, wide: bool = False) -> WorkGroupFunction:
        """The function for work-groups of `local_size`, compiled or loaded at the first request.

        `wide` must be set when a global id can reach 2^31.
        """
        with self._lock:
            found = self._loaded.get((local_size, wide)) or self._loaded.get((None, wide))
            if found is None:
                size = local_size if len(self._loaded) < MAX_SPECIALIZATIONS else None
                found = self._loaded[size, wide] = self._load(size, wide)
        code, item_bytes, group_bytes = found
        items = capacity(local_size[0] * local_size[1] * local_size[2])
        return WorkGroupFunction(code.address, self.local_bytes, item_bytes * items + group_bytes, code)

    def _load(self, local_size: LocalSize | None, wide: bool) -> tuple[jit.LoadedCode, int, int]:
        target = host_target()
        flags = self.flags
        key = digest("work-group", compiler_key(), library_key(), target.key, self.text, self.name,
                     repr((local_size, wide, flags, self.method)))  # fmt: skip
        store = default_cache()
        trace = Trace.from_settings(self.name, Contracts(self.name))
        data = store.get(key) if not trace.active else None
        if data is None:
            code, item_bytes, group_bytes = compile_work_group(self, local_size, wide, target, trace)
            data = _CONTEXT_BYTES.pack(item_bytes, group_bytes) + code
            store.put(key, data)
        item_bytes, group_bytes = _CONTEXT_BYTES.unpack_from(data)
        return jit.load(data[_CONTEXT_BYTES.size :], f"{PREFIX}{self.name}"), item_bytes, group_bytes


class Program:
    """A built program."""

    def __init__(self, text: str, log: str, infos: tuple[KernelInfo, ...], options: str) -> None:
        self.log = log
        self._text = text
        self._infos = infos
        self._options = options
        self.kernels: dict[str, Kernel] = _kernels(ProgramText(text), infos, _flags(parse_options(options)))

    def binary(self) -> bytes:
        """The program as bytes that `load_binary` takes."""
        fields = {
            "weft": __version__,
            "target": host_target().key,
            "options": self._options,
            "log": self.log,
            "kernels": [_info_to_json(i) for i in self._infos],
            "text": self._text,
        }
        body = json.dumps(fields).encode()
        return _BINARY_MAGIC + digest(body).encode() + body


_BINARY_MAGIC = b"WEFT-PROGRAM-1\n"


def load_binary(data: bytes) -> Program:
    """The program of a binary; raises ValueError when the bytes are not one of this version's."""
    head = len(_BINARY_MAGIC)
    body = data[head + 64 :]
    if not data.startswith(_BINARY_MAGIC) or data[head : head + 64] != digest(body).encode():
        raise ValueError("not a program binary of Weft, or a damaged one")
    fields = json.loads(body)
    if fields["weft"] != __version__:
        raise ValueError(
            f"a program binary of Weft {fields['weft']}; this is {__version__}: build from source"
        )
    infos = tuple(_info_from_json(i) for i in fields["kernels"])
    return Program(fields["text"], fields["log"], infos, fields["options"])


def build(source: str, options: str) -> Program:
    """Compiles a program up to the point where local sizes matter.

    Raises InvalidBuildOptions, or BuildError with the log.
    """
    parsed = parse_options(options)
    cpu = host_target().cpu
    key = digest("program", compiler_key(), translation_key(source, parsed, cpu))
    store = default_cache()
    stored = store.get(key)
    if stored is not None:
        fields = json.loads(stored)
        if unchanged(tuple(tuple(d) for d in fields["dependencies"])):
            return load_binary(fields["binary"].encode())
    translation = compile_source(source, parsed, cpu)
    program = Program(canonicalise(translation.ir), translation.log, translation.kernels, options)
    _check_symbols(program, cpu)
    entry = {"dependencies": translation.dependencies, "binary": program.binary().decode()}
    store.put(key, json.dumps(entry).encode())
    return program


@cache
def compiler_key() -> str:
    """Changes with the compiler itself, also while it is being worked on."""
    folder = Path(__file__).parent
    parts = [__version__]
    for name in ("ir", "analysis", "transform", "codegen"):
        for path in sorted((folder / name).rglob("*.py")):
            status = os.stat(path)
            parts.append(f"{path.name} {status.st_size} {status.st_mtime_ns}")
    status = os.stat(__file__)
    return digest(*parts, f"{status.st_size} {status.st_mtime_ns}")


def _flags(options: BuildOptions) -> Flags:
    level = 0 if options.opt_disable else settings.get("WEFT_OPT_LEVEL")
    builtins = BuiltinFlags(
        fast_relaxed_math=options.fast_relaxed_math,
        finite_math_only=options.finite_math_only,
        denorms_are_zero=options.denorms_are_zero,
        correctly_rounded_divide_sqrt=options.correctly_rounded_divide_sqrt,
    )
    return Flags(level, builtins)


def _kernels(text: ProgramText, infos: tuple[KernelInfo, ...], flags: Flags) -> dict[str, Kernel]:
    skeleton = ir.parse(text.skeleton())
    kernels = {}
    for info in infos:
        names = text.names_in(info.name)
        _, local_bytes = local_layout(
            [v for v in skeleton.variables if v.type.space == 3 and v.name in names]  # type: ignore[attr-defined]
        )
        arguments = _argument_layouts(skeleton.function(info.name), info)
        symbols = frozenset(n for n in text.called_by(info.name) if not n.startswith("llvm."))
        for symbol in sorted(symbols):
            if text.defines(symbol):  # all calls were inlined but those that lead back to themselves
                raise BuildError(
                    f"error: kernel '{info.name}' calls '{readable(symbol)}', which is recursive; "
                    "OpenCL C has no recursion\n"
                )
        kernels[info.name] = Kernel(info, text.alone(info.name), arguments, local_bytes, symbols, flags)
    return kernels


def _argument_layouts(function: ir.Function, info: KernelInfo) -> tuple[ArgumentLayout, ...]:
    layouts = []
    end = 0
    for argument, described in zip(function.arguments, info.arguments, strict=True):
        type = argument.type
        by_reference = False
        for attribute in argument.attributes:
            if attribute.startswith("byval("):
                type = _byval_type(function, attribute)
                by_reference = True
        kind = described.address_space if argument.type.is_pointer and not by_reference else "value"
        size, alignment = size_of(type), alignment_of(type)
        offset = align_up(end, max(alignment, abi.ARGUMENT_ALIGNMENT))
        layouts.append(ArgumentLayout(kind, size, alignment, offset, by_reference))
        end = offset + size
    return tuple(layouts)


def _byval_type(function: ir.Function, attribute: str) -> ir.types.Type:
    from weft.ir.parser import parse_type  # only structures need it

    return parse_type(attribute.removeprefix("byval(").removesuffix(")"), function.module)


def _check_symbols(program: Program, cpu: str) -> None:
    """Raises BuildError when a kernel calls something that neither the program nor Weft defines."""
    wanted: dict[str, str] = {}
    for kernel in program.kernels.values():
        for symbol in kernel.builtins:
            wanted.setdefault(symbol, kernel.name)
    flags = next((k.flags.builtins for k in program.kernels.values()), BuiltinFlags())
    missing = link_in(wanted, cpu, flags).missing
    if missing:
        lines = [f"error: kernel '{wanted[s]}' calls '{readable(s)}', which is not defined" for s in missing]
        raise BuildError(program.log + "\n".join(lines) + "\n")


def readable(symbol: str) -> str:
    """A mangled name as a programmer wrote it, as far as its length tells."""
    match = re.match(r"_Z(\d+)", symbol)
    if match is None:
        return symbol
    start = match.end()
    return symbol[start : start + int(match.group(1))]


def _info_to_json(info: KernelInfo) -> dict[str, object]:
    fields = asdict(info)
    for argument in fields["arguments"]:
        argument["qualifiers"] = sorted(argument["qualifiers"])
    return fields


def _info_from_json(fields: dict[str, object]) -> KernelInfo:
    def size(name: str) -> LocalSize | None:
        value = fields[name]
        return tuple(value) if value is not None else None  # type: ignore[arg-type, return-value]

    arguments = tuple(
        KernelArgument(**{**a, "qualifiers": frozenset(a["qualifiers"])})
        for a in fields["arguments"]  # type: ignore[attr-defined]
    )
    return KernelInfo(
        fields["name"],  # type: ignore[arg-type]
        arguments,
        size("reqd_work_group_size"),
        size("work_group_size_hint"),
        fields["vec_type_hint"],  # type: ignore[arg-type]
        fields["attributes"],  # type: ignore[arg-type]
    )
