"""Built programs and their kernels: the output of clBuildProgram and the input of a launch.

Everything here works from the disk cache. The compiler, and LLVM with it, is imported only to compile
something or to load machine code that Weft's linker does not support. A client whose kernels are all cached
gets its program in a few milliseconds.
"""

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

from weft import binary, limits, settings
from weft.abi import DEFAULT_SUB_GROUP_SIZE, SMALL_IDS
from weft.codegen import binding
from weft.codegen.cache import default_cache, digest
from weft.compile_server import client as compile_server
from weft.compile_server import expectation
from weft.dataclasses import dataclass, fields, replace
from weft.frontend.options import BuildOptions, parse_options
from weft.frontend.program_source import Source, source_key
from weft.frontend.source_key import unchanged
from weft.garbage import rare_collections
from weft.group_code import (
    CodeLoader,
    DeviceMemory,
    KernelOfDevice,
    WorkGroupFunction,
    for_processor,
    prepare_baseline,
)
from weft.kernel import ROWS_AT_ONCE, CodeOptions, CompiledProgram, KernelCode, LocalSize
from weft.launch_form import KnownArguments, LaunchForm
from weft.likely_range import LikelyRanges
from weft.locks import loading
from weft.program_variables import ProgramVariables
from weft.records import from_json, parse_json, to_json
from weft.tiers.background import background
from weft.tiers.tiered_code import (
    SETTLED,
    WITHOUT_CODE,
    Anticipation,
    LaunchContext,
    State,
    TieredCode,
    TieredKernel,
    can_tier_up,
)
from weft.tile_policy import NDRange, Tile, choose_tiles
from weft.toolchain import toolchain_key

if TYPE_CHECKING:
    from weft.device.memories import DeviceFunction, KernelCompiler

# Kernels launched with more local sizes than this get one function for all further sizes. With more forms
# than this, they also get one for all image formats and samplers, which matter more and vary less.
MAX_SPECIALIZATIONS = 16
MAX_FORMS = 32
# Kernels launched in rows of more lengths than this get one function for all further lengths.
MOST_LENGTHS = 3

# Kernels are specialized for the formats of images once launches with these have spent this time in generic
# code: a fraction of the time that compiling takes. Each of these launches is prepared anew.
MOST_GENERIC_NS = 20_000_000
PREPARE_NS = 50_000

# The likely forms of programs with up to MOST_KERNELS kernels, each with a limited number of instructions,
# are compiled when the program is built. They are those of a large range whose extents are multiples of a
# size.
MOST_KERNELS = 4
MOST_ANTICIPATED = 2000
LIKELY_EXTENT = 4096
# Limits if the range can be guessed: the number of kernels; the number of instructions of kernels whose code
# the build waits for, and the seconds of that wait.
MOST_GUESSED = 8
MOST_AWAITED = 500
MOST_SECONDS = 0.1

_BINARY_MAGIC = b"WEFT-PROGRAM-14\n"
_NO_BUILTINS: Mapping[str, str] = MappingProxyType({})


_ANY_TIME = LaunchContext()


@dataclass(frozen=True)
class _Launched:
    """The launches of a kernel with the same image formats and samplers, and their work-items.

    `weight`: their work-items, each counted as often as its loops run the instructions of the kernel.
    """

    launches: int = 0
    items: int = 0
    weight: int = 0

    def followed_by(self, items: int, weight: int) -> "_Launched":
        return _Launched(self.launches + 1, self.items + items, self.weight + weight)


_NONE = _Launched()


class Kernel:
    """One kernel of a built program: its code in each form that launches use."""

    def __init__(
        self, code: KernelCode, options: CodeOptions, variables: ProgramVariables | None = None
    ) -> None:
        self.variables = variables if variables and variables.are_used_by(code) else None
        if self.variables and not isinstance(code, KernelOfDevice):
            code = _for_loader(code, self.variables.loader())
        self.code = code
        self.name = code.info.name
        self.info = code.info
        self.traits = code.traits
        self.arguments = code.arguments
        self.argument_bytes = max((a.offset + a.size for a in code.arguments), default=0)
        self.local_bytes = code.local_bytes
        self.private_bytes = code.private_bytes
        self.sub_group_size = code.sub_group_size or code.info.sub_group_size or DEFAULT_SUB_GROUP_SIZE
        self.options = options
        self._tiers = TieredKernel(code, options)
        self._forms: dict[LaunchForm, TieredCode] = {}
        self._launched: dict[KnownArguments, _Launched] = {}
        self.generic_address = 0
        """The address of the code that launches ran before the kernel was specialized for their formats."""
        self._elsewhere: dict[DeviceMemory, Kernel] = {}
        self._of_devices: dict[tuple[KernelCompiler, LocalSize, int], DeviceFunction] = {}

    def on(self, memory: DeviceMemory) -> "Kernel":
        """Return the kernel with its code, and the variables of its program, in the memory of a device."""
        loader = memory.loader
        if loader is None and self.variables is None:
            return self  # code in this process is shared by all devices
        with self._tiers.lock:
            if memory not in self._elsewhere:
                if self.variables is not None:
                    loader = self.variables.loader(memory)
                assert loader is not None
                self._elsewhere[memory] = Kernel(_for_loader(self.code, loader), self.options)
            return self._elsewhere[memory]

    def compiled_by(
        self, compiler: "KernelCompiler", local_size: LocalSize, id_bits: int
    ) -> "DeviceFunction":
        """Return the kernel compiled by a device that runs no machine code; raises WeftError."""
        key = (compiler, local_size, id_bits)
        with self._tiers.lock:
            if key not in self._of_devices:
                self._of_devices[key] = compiler.compile(self.code, self.options, local_size, id_bits)
            return self._of_devices[key]

    @property
    def benefits_from_noalias(self) -> bool:
        """Whether code for buffers that do not overlap may be faster."""
        return self.traits.benefits_from_noalias and self.options.level > 0

    def worth_specializing(self, known: KnownArguments, context: LaunchContext, item_ns: float = 0.0) -> bool:
        """Whether code for these formats and samplers pays off, now that one more launch uses them.

        Compiling it takes as long as some hundred thousand reads by code that queries the format of the
        image. A work-item with loops counts as several. `item_ns`: its time in that code; 0 if unknown.
        """
        own = max(1, self.traits.own_instructions)
        with self._tiers.lock:
            past = self._launched.get(known, _NONE)
            weight = context.items * (own + context.in_loops) // own
            self._launched[known] = now = past.followed_by(context.items, weight)
            return (
                now.weight >= settings.get("WEFT_SPECIALIZE_IMAGES")
                or past.launches * PREPARE_NS + past.items * item_ns >= MOST_GENERIC_NS
            )

    def generic_function(
        self, id_bits: int, context: LaunchContext, non_uniform: bool = False
    ) -> WorkGroupFunction:
        """Return the function for any formats, samplers and local size, until specializing is worth it.

        It is not optimized, because nearly all its time is spent in image functions.
        """
        passing = replace(context, is_passing=True)
        function = self.work_group_function(None, id_bits, context=passing, non_uniform=non_uniform)
        self.generic_address = function.address
        return function

    def work_group_function(
        self,
        local_size: LocalSize | None,
        id_bits: int = SMALL_IDS,
        known: KnownArguments = (),
        noalias: bool = False,
        context: LaunchContext = _ANY_TIME,
        non_uniform: bool = False,
    ) -> WorkGroupFunction:
        """Return the function for work-groups of `local_size` (None: any), compiled or loaded if necessary.

        Global ids have at most `id_bits`, one of `abi.ID_BITS`. `known` has, for each argument, the channel
        order and type if it is an image, the bits if it is a sampler. `noalias`: no two buffers
        overlap. `context` describes the launch. `non_uniform`: the last groups of the range may be smaller
        than the others; `local_size` is None then.
        """
        with self._tiers.lock:
            form = LaunchForm(local_size, id_bits, known, None, noalias, non_uniform=non_uniform)
            general = tuple(LaunchForm(None, id_bits, some, non_uniform=non_uniform) for some in (known, ()))
            found = next((f for g in (form, *general) if (f := self._present(g, context)) is not None), None)
            if found is None:
                if self._count() >= MAX_SPECIALIZATIONS:
                    form = general[self._count() >= MAX_FORMS]
                found = self._compiled(form, context)
                assert found is not None, "work-groups suit every kernel"
        return found

    def tile_function(
        self,
        tile: Tile,
        local_size: LocalSize | None,
        id_bits: int = SMALL_IDS,
        known: KnownArguments = (),
        noalias: bool = False,
        context: LaunchContext = _ANY_TIME,
    ) -> WorkGroupFunction | None:
        """Return the function that runs a tile of the NDRange.

        None if there is code for many other sizes already, or if code for such tiles cannot be compiled.
        `local_size` is required if the kernel queries its group. The work-items must share nothing.
        """
        group_size = local_size if self.traits.queries_group else None
        form = LaunchForm(group_size, id_bits, known, tile.extents, noalias, tile.if_serial)
        with self._tiers.lock:
            found = self._present(form, context)
            sized = form.local_size is not None or None not in tile.extents
            most = MAX_SPECIALIZATIONS if sized else MAX_FORMS
            many = self._count() >= most and (sized or known)
            if found is None and not many and not self._has_lengths_enough(form):
                found = self._compiled(form, context)
        return found

    def _has_lengths_enough(self, form: LaunchForm) -> bool:
        """Whether code for rows of a length is not worth compiling.

        That is so if there is code for any length, or for several other lengths: the range of the kernel may
        shrink from launch to launch.
        """
        if form.tile is None or form.tile[0] is None or form.tile[1:] not in ((1, 1), (ROWS_AT_ONCE, 1)):
            return False
        general = replace(form, tile=(None, *form.tile[1:]))
        same = [
            code
            for other, code in self._forms.items()
            if other.tile is not None and replace(other, tile=(None, *other.tile[1:])) == general
        ]
        if any(code.form == general and code.state is State.OPTIMIZED for code in same):
            return True
        return sum(code.state not in WITHOUT_CODE for code in same) >= MOST_LENGTHS

    def _present(self, form: LaunchForm, context: LaunchContext) -> WorkGroupFunction | None:
        """Return existing code that is valid for launches of this form; None if there is none."""
        code, other = (self._forms.get(replace(form, noalias=a)) for a in (form.noalias, not form.noalias))
        if code is not None and code.state in SETTLED:
            return code.function
        if other is not None and other.state in SETTLED:
            assert other.function is not None
            if form.noalias or not other.function.requires_noalias:
                return other.function
        return code.for_launch(context) if code is not None and code.state not in WITHOUT_CODE else None

    def _compiled(self, form: LaunchForm, context: LaunchContext) -> WorkGroupFunction | None:
        return self._forms.setdefault(form, TieredCode(self._tiers, form)).for_launch(context)

    def _count(self) -> int:
        """The number of forms in which the kernel was compiled."""
        return sum(code.state not in WITHOUT_CODE for code in self._forms.values())

    def anticipation(self, extents: LocalSize | None = None) -> Anticipation | None:
        """Return the code that the first launch will probably need; None if that cannot be predicted.

        `extents`: those of its range, if they can be guessed.
        """
        options, required = self.options, self.info.reqd_work_group_size
        usual = (options.method, options.lanes, options.divergent) == ("auto", 0, "auto")
        small = self.traits.instructions <= MOST_ANTICIPATED
        if not usual or not options.level or options.profile or not small:
            return None
        if any(argument.kind in ("image", "sampler") for argument in self.arguments):
            return None  # launches use code for their formats, or for all formats
        extents = extents or (LIKELY_EXTENT, LIKELY_EXTENT if self.traits.dimensions > 1 else 1, 1)
        choice = choose_tiles(self.traits, options, NDRange(extents, required), threads=os.cpu_count() or 1)
        noalias = self.benefits_from_noalias
        if choice.tiles:
            tile, group_size = choice.tiles[0], required if self.traits.queries_group else None
            form = LaunchForm(group_size, tile=tile.extents, noalias=noalias, if_serial=tile.if_serial)
        elif required is not None:
            form = LaunchForm(required, noalias=noalias)
        else:
            return None
        return Anticipation(self._tiers, form)


def _for_loader(code: KernelCode, loader: CodeLoader) -> KernelOfDevice:
    if loader.target is not None:
        code = for_processor(code, loader.target)
    parts = {part.name: getattr(code, part.name) for part in fields(KernelCode)}
    return KernelOfDevice(**parts, loader=loader)


class Program:
    """A built program; `variables` is the module that defines its variables in global memory."""

    def __init__(self, kernels: tuple[KernelCode, ...], log: str, options: str, variables: str = "") -> None:
        self.log = log
        self.variables = ProgramVariables(variables)
        self._codes = kernels
        self._options = options
        self._code_options = CodeOptions.of(parse_options(options))
        self.kernels = {k.info.name: Kernel(k, self._code_options, self.variables) for k in kernels}

    def binary(self) -> bytes:
        """Return the program as bytes for `load_binary`, with the built-ins that its kernels call.

        On processors of the same kind, nothing has to be compiled from OpenCL C after loading it.
        """
        builtins: Mapping[str, str] = _NO_BUILTINS
        if any(kernel.builtins for kernel in self._codes):
            from weft.codegen.host import host_target
            from weft.compiler.build_program import builtin_definitions  # imports LLVM

            builtins = builtin_definitions(self._codes, self._code_options, host_target())
        data = self.summary(builtins)
        binary.remember(data)
        return data

    def summary(self, builtins: Mapping[str, str] = _NO_BUILTINS) -> bytes:
        """Like `binary`, with these definitions of built-ins; none are needed if the library is available."""
        fields = {
            "options": self._options,
            "log": self.log,
            "kernels": [to_json(k) for k in self._codes],
            "builtins": sorted(builtins.items()),
            "variables": self.variables.text,
        }
        return binary.pack(_BINARY_MAGIC, fields)


def load_binary(data: bytes) -> Program:
    """Load a binary of a client; raises ValueError unless it has the format of this version.

    Binaries that Weft did not write are verified: their description of kernels must match the IR.
    """
    fields = _read(data)
    kernels, brought = fields.kernels, dict(fields.builtins)
    if brought:
        from weft.builtins.library import missing_here  # not needed for programs without built-ins

        brought = missing_here(brought)
    if not binary.is_known(data):
        from weft.verify_binary import verify_kernels  # imports the compiler

        verify_kernels(kernels, brought, fields.variables)
        binary.remember(data)
    own = tuple(sorted(brought.items()))
    return Program(
        tuple(replace(k, brought=own) for k in kernels), fields.log, fields.options, fields.variables
    )


def load_summary(data: bytes) -> Program:
    """Load the result of `Program.summary`, from the cache."""
    fields = _read(data)
    return Program(fields.kernels, fields.log, fields.options, fields.variables)


@dataclass(frozen=True)
class _Fields:
    """The contents of a binary."""

    options: str
    log: str
    kernels: tuple[KernelCode, ...]
    builtins: tuple[tuple[str, str], ...]
    variables: str


def _read(data: bytes) -> _Fields:
    return from_json(_Fields, binary.unpack(_BINARY_MAGIC, data))


@rare_collections()
def _compile(source: Source, options: BuildOptions, profile: bool) -> CompiledProgram:
    """Compile a program in this process."""
    with loading:
        from weft.frontend.compile import start_clang

    if isinstance(source, str):
        start_clang(source, options)  # it starts while the compiler is imported
    with loading:
        from weft import build_process  # imports LLVM

    if _tiers_up():
        prepare_baseline(CodeOptions.of(options))
    return build_process.build(source, options, debug_info=profile)


def _tiers_up() -> bool:
    return settings.get("WEFT_TIERS") == "1" and can_tier_up()


def _anticipate(program: Program, buffers: Collection[int]) -> None:
    """Make the compile server compile the code that the first launches will probably need.

    A program whose buffers exist has nothing left to do before the launches, which would wait for the code.
    So the build waits for it, if the sizes of the buffers determine which code that is.
    """
    if not default_cache().enabled:
        return
    early: list[Anticipation] = []
    due: list[Anticipation] = []
    kernels = program.kernels.values()
    likely = LikelyRanges((kernel.traits for kernel in kernels), buffers)
    for kernel in kernels:
        extents = likely.of(kernel.traits)
        job = kernel.anticipation(extents)
        if job is None or len(kernels) > (MOST_KERNELS if extents is None else MOST_GUESSED):
            continue
        is_due = extents is not None and kernel.traits.instructions <= MOST_AWAITED
        (due if is_due else early).append(job)
    due.sort(key=lambda job: -job.request.code.traits.instructions)
    background.anticipate([*due, *early])
    background.complete(due, MOST_SECONDS)


def preload() -> None:
    """Prepare for builds, because a context was created."""
    if not compile_server.client.prepare(expectation.is_expected):
        binding.preload()


def build(
    source: Source,
    options: str,
    *,
    embedded: bool = False,
    only: Collection[str] | None = None,
    buffers: Collection[int] = (),
) -> Program:
    """Compile a program up to the point where local sizes matter, or load it from the cache.

    `embedded`, `only`: see `BuildOptions.for_device`. `buffers`: the sizes of existing buffers. Raises
    InvalidBuildOptions, or BuildError with the log.
    """
    parsed = parse_options(options).for_device(embedded=embedded, only=only)
    profile = settings.get("WEFT_PROFILE")  # requires source lines of loops
    chosen = repr((profile, settings.get("WEFT_INLINE")))
    key = digest("program", toolchain_key(), source_key(source, parsed), chosen)
    store = default_cache()
    stored = store.get(key)
    if stored is not None:
        with suppress(ValueError):  # an invalid entry is ignored
            entry = from_json(binary.CacheEntry, parse_json(stored))
            if unchanged(entry.dependencies):
                found = load_summary(entry.binary.encode())
                expectation.note(found=True)
                return found
    expectation.note(found=False)
    if _tiers_up():
        background.wake()  # early, because the process that optimizes takes a while to start
    with limits.build():
        served = compile_server.build(source, parsed, debug_info=profile)
        compiled = _compile(source, parsed, profile) if served is None else served
    program = Program(compiled.kernels, compiled.log, options, compiled.variables)
    if served is not None and not embedded and only is None and _tiers_up():
        _anticipate(program, buffers)
    store.put(key, binary.CacheEntry(compiled.dependencies, program.summary().decode()).to_bytes())
    return program
