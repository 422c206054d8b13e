"""Built programs and their kernels: what clBuildProgram gives and a launch needs.

Everything here works from the on-disk cache alone. The compiler, and LLVM with it, is imported only when
something has to be compiled or machine code has to be loaded: a client whose kernels are all cached gets
its program in a few milliseconds.
"""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from threading import Condition
from types import MappingProxyType
from weakref import WeakMethod

from weft import binary, limits, settings
from weft.codegen.cache import default_cache, digest
from weft.errors import OptimizationFailed
from weft.faults import Fault, report
from weft.frontend.clang import available as clang_available
from weft.frontend.compile import translation_key, unchanged
from weft.frontend.options import parse_options
from weft.group_code import Form, KnownArguments, WorkGroupFunction, compile_form, load_form
from weft.kernel import CodeOptions, KernelCode, LocalSize
from weft.locks import new_lock
from weft.records import from_json, parse_json, to_json
from weft.tiers.background import background, possible
from weft.tiers.baseline import Baseline
from weft.tiers.first_code import FirstCode
from weft.tile_policy import Tile
from weft.toolchain import toolchain_key

# Kernels launched with more local sizes than this get one function for all further sizes, and with more forms
# than that one for all image formats and samplers as well: those matter more, and vary less.
MAX_SPECIALIZATIONS = 16
MAX_FORMS = 32

# Work-items times lines of IR from which on first code takes longer than to compile the best, even if loops
# have few turns: 0.1 to 0.3 s of the processors.
MOST_WORK = 500_000_000

_BINARY_MAGIC = b"WEFT-PROGRAM-7\n"
_NO_BUILTINS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Occasion:
    """What code is asked for: a launch of so many work-items, after the host has waited so many times."""

    waits: int = 0
    items: int = 0


_ANY_TIME = Occasion()


class Kernel:
    """One kernel of a built program."""

    def __init__(self, code: KernelCode, options: CodeOptions) -> None:
        self.code = code
        self.name = code.info.name
        self.info = code.info
        self.arguments = code.arguments
        self.argument_bytes = max((a.offset + a.size for a in code.arguments), default=0)
        self.local_bytes = code.local_bytes
        self.private_bytes = code.private_bytes
        self.options = options
        self._baseline = Baseline(code, options, partial(_form_key, code))
        self._loaded: dict[Form, WorkGroupFunction] = {}
        self._first: dict[Form, FirstCode] = {}
        self._launched: Counter[KnownArguments] = Counter()
        self._unsuitable: set[Form] = set()
        self._costly = False  # optimizing it takes more than it may
        self._told = False  # that it runs baseline code
        self.traits = code.traits
        self._lock = new_lock()
        self._answered = Condition(self._lock)

    @property
    def benefits_from_noalias(self) -> bool:
        """Whether code for buffers that do not overlap may be quicker."""
        return self.traits.benefits_from_noalias and self.options.level > 0

    def worth_knowing(self, known: KnownArguments, items: int) -> bool:
        """Whether code for just these formats and samplers pays, now that `items` more work-items use them.

        Compiling it takes as long as some hundred thousand reads by code that asks the image for its format.
        """
        with self._lock:
            self._launched[known] += items
            return self._launched[known] >= settings.get("WEFT_KNOW_IMAGES")

    def work_group_function(
        self,
        local_size: LocalSize | None,
        wide: bool = False,
        known: KnownArguments = (),
        apart: bool = False,
        occasion: Occasion = _ANY_TIME,
    ) -> WorkGroupFunction:
        """The function for work-groups of `local_size` (None: any), compiled or loaded at the first request.

        `wide` must be set when a global id can reach 2^31. `known` has, for each argument, the channel order
        and type if it is an image, the bits if it is a sampler. `apart`: no two buffers overlap.
        `occasion` is what it is for.
        """
        with self._lock:
            form = Form(local_size, wide, known, None, apart)
            general = (Form(None, wide, known), Form(None, wide))
            found = next((f for g in (form, *general) if (f := self._found(g, occasion)) is not None), None)
            if found is None:
                if self._count() >= MAX_SPECIALIZATIONS:
                    form = general[self._count() >= MAX_FORMS]
                found = self._load(form, occasion)
                assert found is not None, "work-groups suit every kernel"
        return found

    def _found(self, form: Form, occasion: Occasion) -> WorkGroupFunction | None:
        """Code that was loaded before and may run where that form is asked for."""
        found = self._loaded.get(form)
        if found is None:
            other = self._loaded.get(replace(form, apart=not form.apart))
            found = other if other is not None and (form.apart or not other.counts_on_apart) else None
        if found is None and form in self._first:
            found = self._run_first(self._first[form], occasion)
        return found

    def _count(self) -> int:
        """How many forms it was compiled in."""
        return len(self._loaded.keys() | self._first.keys())

    def tile_function(
        self,
        tile: Tile,
        local_size: LocalSize | None,
        wide: bool = False,
        known: KnownArguments = (),
        apart: bool = False,
        occasion: Occasion = _ANY_TIME,
    ) -> WorkGroupFunction | None:
        """The function that runs a tile of the NDRange; None if there is code for many other sizes already.

        `local_size` is needed if the kernel asks for its group. The work-items must share nothing.
        """
        told = local_size if self.traits.asks_for_group else None
        form = Form(told, wide, known, tile.extents, apart, tile.if_serial)
        with self._lock:
            if form in self._unsuitable:
                return None
            found = self._found(form, occasion)
            sized = form.local_size is not None or None not in tile.extents
            most = MAX_SPECIALIZATIONS if sized else MAX_FORMS
            many = self._count() >= most and (sized or known)
            if found is None and not many:
                found = self._load(form, occasion)
        return found

    def _load(self, form: Form, occasion: Occasion) -> WorkGroupFunction | None:
        """Code of a form from the cache, or compiled: the best there is, or first code if that will do.

        Whatever fails, the launch gets what can be compiled, if anything can.
        """
        key, store = _form_key(self.code, form, self.options), default_cache()
        data = None if _looked_at() else store.get(key)
        if data is not None:
            with suppress(Exception):  # an entry that is no code counts as none
                return self._keep(form, data)
        if self._costly:
            return self._stay(form)
        plain: Fault | None = None
        if self._starts_quickly(form, occasion.items):
            try:
                function = self._baseline.load(form, store)
            except Exception as error:
                plain = Fault.of(error)
            else:
                return self._start(form, function, occasion, key)
        found: WorkGroupFunction | None
        try:
            data = compile_form(self.code, self.options, form)
            found = self._keep(form, data)
        except Exception as error:
            if plain is not None:
                raise
            fault = Fault.of(error)
            if _is_error(fault):
                self._tell(fault)
                raise
            found = self._stay(form)
            self._tell(fault)
            return found
        if plain is not None:
            report(f"kernel {self.name!r} starts with optimized code, as there is no other", plain)
            if _is_error(plain):
                raise OptimizationFailed(f"no baseline code: {plain.reason}")
        store.put(key, data)
        return found

    def _keep(self, form: Form, data: bytes) -> WorkGroupFunction:
        """Loads the best code of a form for all further launches."""
        found = self._loaded[form] = load_form(self.code, data)
        return found

    def _stay(self, form: Form) -> WorkGroupFunction | None:
        """Baseline code of a form for all further launches, since there is no other."""
        first, store = self._first.get(form), default_cache()
        if first is not None:
            function: WorkGroupFunction | None = first.function
        elif form.tile is not None:
            function = None
            with suppress(Exception):  # what has no such tiles runs as work-groups
                function = self._baseline.load(form, store)
        else:
            forms = (form, Form(form.local_size, form.wide), Form(None, form.wide))
            function = self._baseline.load_any(forms, store)
        if function is None:
            self._unsuitable.add(form)
            return None
        self._loaded[form] = replace(function, first=False)
        return self._loaded[form]

    def _tell(self, fault: Fault) -> None:
        """Says once that the kernel runs baseline code; other forms of it may do better."""
        self._costly |= fault.deliberate
        if not self._told:
            report(f"kernel {self.name!r} runs baseline code, as it could not be optimized", fault)
            self._told = True

    def _starts_quickly(self, form: Form, items: int) -> bool:
        """Whether first code will do; what is compiled for certain images has been launched often."""
        options, tiers = self.options, settings.get("WEFT_TIERS")
        usual = (options.method, options.lanes, options.divergent) == ("auto", 0, "auto")
        if tiers == "0" or not options.level or not usual or options.profile or form.known or _looked_at():
            return False
        if items * self.traits.instructions > MOST_WORK and tiers == "1":
            return False
        return tiers == "first" or _can_go_on()

    def _start(
        self, form: Form, function: WorkGroupFunction, occasion: Occasion, best: str
    ) -> WorkGroupFunction:
        """Starts with first code of a form; the best is cached under the key `best` even if this is gone."""
        adopt = WeakMethod(self._adopt)

        def finish(first: FirstCode, data: bytes | None, fault: Fault | None) -> None:
            method = adopt()
            if (method is None or method(first, data, fault)) and data is not None:
                default_cache().put(best, data)

        self._first[form] = FirstCode(self.code, self.options, form, function, finish, occasion.waits)
        return self._run_first(self._first[form], occasion)

    def _run_first(self, first: FirstCode, occasion: Occasion) -> WorkGroupFunction:
        """First code for a launch, or the best if the program comes back: then it is waited for."""
        if settings.get("WEFT_TIERS") == "first":
            return first.function
        if not first.asked:
            first.over = not background.want(first)
            first.asked = True
        if first.is_back(occasion.waits) and not first.over:
            if background.withdraw(first):
                self._compile_best(first)
            first.awaited = True
            self._answered.wait_for(lambda: first.over)
        if first.fault is not None and _is_error(first.fault):
            raise OptimizationFailed(first.fault.reason)
        return self._loaded.get(first.form, first.function)

    def _compile_best(self, first: FirstCode) -> None:
        """Compiles here and now what nobody else has begun to compile, and nobody will."""
        try:
            data = compile_form(self.code, self.options, first.form)
        except Exception as error:
            self._settle(first, None, Fault.of(error))
            return
        except BaseException:
            first.asked = False  # somebody interrupts the program, which may launch the kernel again
            raise
        if self._settle(first, data):
            default_cache().put(_form_key(self.code, first.form, self.options), data)

    def _adopt(self, first: FirstCode, data: bytes | None, fault: Fault | None) -> bool:
        """Takes the best code of a form, which was compiled meanwhile, if there is any."""
        with self._lock:
            return self._settle(first, data, fault)

    def _settle(self, first: FirstCode, data: bytes | None, fault: Fault | None = None) -> bool:
        """Takes what became of the best code of a form; returns whether it can be loaded."""
        # First code stays in memory: launches that began with it may go on for long.
        try:
            try:
                if data is not None:
                    first.give_way(self._keep(first.form, data))
            except Exception as error:
                fault = Fault.of(error)
            first.fault = fault
            if fault is not None:
                self._tell(fault)
                if not _is_error(fault):
                    self._stay(first.form)
        finally:
            # Last, as a fork may come at any time: in the child nobody would end what was begun here.
            first.over = True
            self._answered.notify_all()
        return fault is None


def _form_key(code: KernelCode, form: Form, options: CodeOptions) -> str:
    return digest("work-group", toolchain_key(), *code.identity, repr((form, options)))


def _can_go_on() -> bool:
    """Whether the best code can follow on first code: clang makes the one, another process the other."""
    return clang_available() and possible()


def _is_error(fault: Fault) -> bool:
    """Whether a fault of the optimizing tier fails the launch, as tests want it to."""
    return not fault.deliberate and bool(settings.get("WEFT_VERIFY"))


def _looked_at() -> bool:
    """Whether somebody wants to see how the best code is made."""
    return bool(settings.get("WEFT_DUMP") or settings.get("WEFT_PRINT"))


class Program:
    """A built program."""

    def __init__(self, kernels: tuple[KernelCode, ...], log: str, options: str) -> None:
        self.log = log
        self._codes = kernels
        self._options = options
        self._code_options = CodeOptions.of(parse_options(options))
        self.kernels = {k.info.name: Kernel(k, self._code_options) for k in kernels}

    def binary(self) -> bytes:
        """The program as bytes that `load_binary` takes, with the built-ins that its kernels call.

        Where it is loaded nothing has to be compiled from OpenCL C, on processors of the same kind.
        """
        builtins: Mapping[str, str] = _NO_BUILTINS
        if any(kernel.builtins for kernel in self._codes):
            from weft import compiler  # LLVM: see the top of this file

            builtins = compiler.builtin_definitions(self._codes, self._code_options)
        data = self.summary(builtins)
        binary.remember(data)
        return data

    def summary(self, builtins: Mapping[str, str] = _NO_BUILTINS) -> bytes:
        """As `binary`, with these definitions of built-ins: none are enough where the library is."""
        fields = {
            "options": self._options,
            "log": self.log,
            "kernels": [to_json(k) for k in self._codes],
            "builtins": sorted(builtins.items()),
        }
        return binary.pack(_BINARY_MAGIC, fields)


def load_binary(data: bytes) -> Program:
    """The program of a binary that a client brought; raises ValueError unless it is one of this version's.

    Whatever Weft did not write itself is checked: what it says of its kernels must be what their IR says.
    """
    fields = _read(data)
    kernels, brought = fields.kernels, dict(fields.builtins)
    if brought:
        from weft.builtins.library import missing_here  # which a program without built-ins does not need

        brought = missing_here(brought)
    if not binary.is_known(data):
        from weft.verify_binary import verify_kernels  # brings the compiler

        verify_kernels(kernels, brought)
        binary.remember(data)
    own = tuple(sorted(brought.items()))
    return Program(tuple(replace(k, brought=own) for k in kernels), fields.log, fields.options)


def load_summary(data: bytes) -> Program:
    """The program of what `Program.summary` gave, from the cache."""
    fields = _read(data)
    return Program(fields.kernels, fields.log, fields.options)


@dataclass(frozen=True)
class _Fields:
    """What a binary holds."""

    options: str
    log: str
    kernels: tuple[KernelCode, ...]
    builtins: tuple[tuple[str, str], ...]


def _read(data: bytes) -> _Fields:
    return from_json(_Fields, binary.unpack(_BINARY_MAGIC, data))


def build(source: str, options: str) -> Program:
    """Compiles a program up to the point where local sizes matter, or takes it from the cache.

    Raises InvalidBuildOptions, or BuildError with the log.
    """
    parsed = parse_options(options)
    profile = settings.get("WEFT_PROFILE")  # which wants to know the lines of loops
    chosen = repr((profile, settings.get("WEFT_INLINE")))
    key = digest("program", toolchain_key(), translation_key(source, parsed, ""), chosen)
    store = default_cache()
    stored = store.get(key)
    if stored is not None:
        with suppress(ValueError):  # an entry that is no program counts as none
            entry = from_json(binary.CacheEntry, parse_json(stored))
            if unchanged(entry.dependencies):
                return load_summary(entry.binary.encode())
    if settings.get("WEFT_TIERS") == "1" and _can_go_on():
        background.wake()  # its process needs a while to start
    from weft import build_process  # LLVM: see the top of this file

    with limits.build():
        compiled = build_process.build(source, parsed, debug_info=profile)
    program = Program(compiled.kernels, compiled.log, options)
    store.put(key, binary.CacheEntry(compiled.dependencies, program.summary().decode()).to_bytes())
    return program
