"""Find built-ins by mangled symbol; compile new ones in one clang call and cache each.

The result is LLVM IR whose functions have exactly the symbols and signatures of the kernel's calls, because
both go through the same front end with the same target. They are marked always-inline.
"""

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from weft.codegen.cache import Cache, default_cache, digest
from weft.dataclasses import dataclass, fields
from weft.errors import ToolError
from weft.frontend.clang import run_clang
from weft.frontend.freeze_conversions import freeze_conversions
from weft.frontend.source_key import header_key
from weft.frontend.target import TARGET_ARGUMENTS, fma_macros, for_target
from weft.lazy_pattern import lazy_pattern
from weft.locks import new_lock
from weft.target import Target

from .catalogue import LIBRARY_DIRECTORY, Instance, catalogue
from .demangle import Signature, demangle
from .generate import translation_unit
from .images import read_tags
from .precompiled import Precompiled, common_symbols, precompiled
from .precompiled import write as write_precompiled
from .split import split

_CONSTANT_LOAD = lazy_pattern(r"^(  %\S+ = load [^\n]*, ptr addrspace\(2\) [^\n]*)$", re.MULTILINE)
_DEFINED = lazy_pattern(r'@"?([^"(]+)"?\(')
_NODE = lazy_pattern(r"^!(\d+) = ", re.MULTILINE)


@dataclass(frozen=True)
class BuiltinFlags:
    """The build options that may change which form of a built-in is used."""

    fast_relaxed_math: bool = False
    finite_math_only: bool = False
    denorms_are_zero: bool = False
    correctly_rounded_divide_sqrt: bool = False

    def clang_arguments(self) -> list[str]:
        """Return one macro per flag that is set, for the templates."""
        return [f"-DWEFT_{field.name.upper()}=1" for field in fields(self) if getattr(self, field.name)]


DEFAULT = BuiltinFlags()
_ALL_FLAGS = BuiltinFlags(*(True for _ in fields(BuiltinFlags)))
# How many built-ins one call of clang compiles ahead.
_AT_ONCE = 64


@dataclass(frozen=True)
class Resolution:
    """A module (LLVM text) for each symbol found, in order, and the symbols that were not found."""

    modules: tuple[str, ...]
    missing: tuple[str, ...]


# Definitions by key; a key covers the library, the processor and the flags.
Definitions = Mapping[str, str]
NO_DEFINITIONS: Definitions = MappingProxyType({})


def link_in(
    symbols: Iterable[str],
    target: Target,
    flags: BuiltinFlags = DEFAULT,
    brought: Definitions = NO_DEFINITIONS,
) -> Resolution:
    """Return the definitions of `symbols` for a processor, from the cache if they have been compiled before.

    Definitions that a program `brought` are used for this call only and never stored.
    """
    return _library().link_in(symbols, target, flags, brought)


def definitions(
    symbols: Iterable[str],
    target: Target,
    flags: BuiltinFlags = DEFAULT,
    brought: Definitions = NO_DEFINITIONS,
) -> dict[str, str]:
    """Return the definitions of `symbols` that the library has, to bring to another process."""
    return _library().definitions(symbols, target, flags, brought)


def missing_here(brought: Definitions) -> dict[str, str]:
    """Return those definitions of a program that this process would have to compile."""
    return _library().missing_here(brought)


def instructions(modules: Iterable[str]) -> dict[str, int]:
    """Return the number of instructions of each function of modules of the library."""
    return {
        defined[1]: body.count("\n  ")
        for module in modules
        for body in module.split("\ndefine ")[1:]
        if (defined := _DEFINED.search(body))
    }


def has(symbol: str, target: Target) -> bool:
    """Return whether the library defines a symbol."""
    ahead = _ahead(target)
    if symbol in ahead:
        return True
    return not ahead.shows_absence(symbol) and catalogue().find_symbol(symbol) is not None


def inlined_before_analysis(symbols: Iterable[str], target: Target) -> list[str]:
    """Return the symbols of built-ins that are so short that they are inlined before kernels are analysed."""
    symbols_found = []
    ahead = _ahead(target)
    for symbol in symbols:
        if symbol in ahead:
            if ahead.is_open(symbol):
                symbols_found.append(symbol)
            continue
        if ahead.shows_absence(symbol):
            continue
        signature = demangle(symbol)
        instance = signature and catalogue().find(signature)
        if instance and catalogue().templates[instance.template].open:
            symbols_found.append(symbol)
    return symbols_found


@cache
def library_key() -> str:
    """Return a key that changes whenever a definition of the library could change."""
    folders = (LIBRARY_DIRECTORY, LIBRARY_DIRECTORY.parent)
    return digest(header_key(), *(_status(file) for folder in folders for file in _files(folder)))


def _files(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted((entry for entry in entries if entry.is_file()), key=lambda entry: entry.name)


def _status(file: os.DirEntry[str]) -> str:
    status = file.stat()
    return f"{file.name} {status.st_size} {status.st_mtime_ns}"


class Library:
    """The built-ins of one process, backed by a cache on disk; may be used by several threads.

    Without a `store`, the settings determine the cache on each use: a child of the compile server has the
    settings of its client.
    """

    def __init__(self, store: Cache | None = None) -> None:
        self._given_store = store
        self._modules: dict[str, str] = {}
        self._lock = new_lock()

    def link_in(
        self,
        symbols: Iterable[str],
        target: Target,
        flags: BuiltinFlags,
        brought: Definitions = NO_DEFINITIONS,
    ) -> Resolution:
        """See the module's function of that name."""
        wanted = dict.fromkeys(symbols)
        ahead, macros = _ahead(target), flags.clang_arguments()
        # The definitions of a program come first.
        found = {} if brought else {symbol: ahead.find(symbol, macros) for symbol in wanted}
        modules = {symbol: module for symbol, module in found.items() if module is not None}
        missing = [symbol for symbol in wanted if ahead.shows_absence(symbol)]
        others = [symbol for symbol in wanted if symbol not in modules and symbol not in missing]
        if others:
            _, compiled, unknown = self._resolve(others, target, flags, brought)
            modules |= compiled
            missing += unknown
        return Resolution(tuple(modules[symbol] for symbol in wanted if symbol in modules), tuple(missing))

    def definitions(
        self,
        symbols: Iterable[str],
        target: Target,
        flags: BuiltinFlags,
        brought: Definitions = NO_DEFINITIONS,
    ) -> dict[str, str]:
        """See the module's function of that name."""
        keys, modules, _ = self._resolve(symbols, target, flags, brought)
        return {keys[symbol]: modules[symbol] for symbol in keys}

    def missing_here(self, brought: Definitions) -> dict[str, str]:
        """See the module's function of that name."""
        return {key: module for key, module in brought.items() if self._stored(key) is None}

    def _resolve(
        self, symbols: Iterable[str], target: Target, flags: BuiltinFlags, brought: Definitions
    ) -> tuple[dict[str, str], dict[str, str], list[str]]:
        """Return the cache key and the module of each symbol found, and the symbols not found."""
        found: dict[str, str] = {}
        missing: list[str] = []
        wanted: dict[str, tuple[Signature, Instance]] = {}
        keys: dict[str, str] = {}
        for symbol in dict.fromkeys(symbols):
            definition = catalogue().find_symbol(symbol)
            if definition is None:
                missing.append(symbol)
                continue
            keys[symbol] = _key(symbol, definition[1], target, flags)
            module = (
                brought.get(keys[symbol])
                or _ahead(target).find(symbol, flags.clang_arguments())
                or self._stored(keys[symbol])
            )
            if module is None:
                wanted[symbol] = definition
            else:
                found[symbol] = module
        if wanted:
            try:
                compiled = compile_symbols(wanted, target, flags)
            except ToolError:
                found |= self._general_forms(wanted, target, flags, brought)
                if len(found) < len(keys):
                    raise
            else:
                for symbol, module in compiled.items():
                    self._keep(keys[symbol], module)
                found |= compiled
        return keys, found, missing

    def _general_forms(
        self, symbols: Iterable[str], target: Target, flags: BuiltinFlags, brought: Definitions
    ) -> dict[str, str]:
        """Return general image functions in place of those for a known format, if clang is missing.

        A program's binary brings them. They are not stored: elsewhere the cache may serve a process with
        clang.
        """
        modules = {}
        for symbol in symbols:
            general = read_tags(symbol).symbol
            definition = catalogue().find_symbol(general)
            assert definition is not None
            key = _key(general, definition[1], target, flags)
            module = brought.get(key) or self._stored(key)
            if module is not None:
                modules[symbol] = module.replace(f"@{general}(", f"@{symbol}(")
        return modules

    @property
    def _store(self) -> Cache:
        return default_cache() if self._given_store is None else self._given_store

    def _stored(self, key: str) -> str | None:
        with self._lock:
            module = self._modules.get(key)
        if module is None:
            data = self._store.get(key)
            if data is not None:
                module = data.decode()
                with self._lock:
                    self._modules[key] = module
        return module

    def _keep(self, key: str, module: str) -> None:
        self._store.put(key, module.encode())
        with self._lock:
            self._modules[key] = module


@cache
def _library() -> Library:
    return Library()


@cache
def _ahead(target: Target) -> Precompiled:
    """Return the built-ins that have been compiled ahead for a processor."""
    return precompiled(_identity(target))


def _identity(target: Target) -> str:
    return digest("built-ins", library_key(), target.triple, *_processor_macros(target))


def compile_ahead(target: Target) -> bool:
    """Compile the common built-ins for a processor, for all programs of this installation.

    Return False if that has been done.
    """
    symbols = common_symbols(catalogue())
    if all(symbol in _ahead(target) for symbol in symbols):
        return False
    modules: dict[str, tuple[str, tuple[str, ...], bool]] = {}
    for wanted in _apart({s: found for s in symbols if (found := catalogue().find_symbol(s)) is not None}):
        for symbol, module in compile_symbols(wanted, target, DEFAULT).items():
            instance = wanted[symbol][1]
            used = _used(instance, _ALL_FLAGS.clang_arguments())
            modules[symbol] = module, tuple(used), catalogue().templates[instance.template].open
    write_precompiled(_identity(target), modules, catalogue().patterns)
    _ahead.cache_clear()
    return True


def _apart(
    wanted: Mapping[str, tuple[Signature, Instance]],
) -> list[dict[str, tuple[Signature, Instance]]]:
    """Divide built-ins into translation units in which no two use the same template for the same type.

    Each becomes what it is in a unit of its own: LLVM inlines a helper that has a single caller.
    """
    units: list[dict[str, tuple[Signature, Instance]]] = []
    free: dict[Instance, int] = {}  # the first unit that does not use a template yet
    for symbol, definition in wanted.items():
        needed = catalogue().closure(definition[1])
        number = max(free.get(instance, 0) for instance in needed)
        while number < len(units) and len(units[number]) >= _AT_ONCE:
            number += 1
        units += [{} for _ in range(len(units), number + 1)]
        units[number][symbol] = definition
        free |= dict.fromkeys(needed, number + 1)
    return units


def compile_symbols(
    wanted: dict[str, tuple[Signature, Instance]], target: Target, flags: BuiltinFlags
) -> dict[str, str]:
    """Compile all of `wanted` in one clang call; return one module of LLVM text for each symbol."""
    arguments = [
        *TARGET_ARGUMENTS,
        *("-x", "cl", "-cl-std=CL1.2", "-O2", "-emit-llvm", "-w", "-o", "-"),
        # The templates state explicitly where products and sums are fused: their error bounds depend on it.
        # Integers wrap, because lanes whose results are not used may hold anything.
        *("-ffp-contract=off", "-fwrapv", "-relaxed-aliasing", "-fno-convergent-functions"),
        *_defines(target, flags),
    ]
    result = run_clang(arguments, translation_unit(wanted), reuse=True)
    if result.returncode:
        raise ToolError(f"the built-in library does not compile:\n{result.diagnostics}")
    return split(mark_constant_loads(freeze_conversions(for_target(result.output, target))), wanted)


def mark_constant_loads(ir: str) -> str:
    """Mark loads from constant memory as invariant: no kernel can write it, so stores do not matter."""
    node = 1 + max((int(number) for number in _NODE.findall(ir)), default=-1)
    marked, count = _CONSTANT_LOAD.subn(rf"\1, !invariant.load !{node}", ir)
    return f"{marked}\n!{node} = !{{}}\n" if count else ir


def _key(symbol: str, instance: Instance, target: Target, flags: BuiltinFlags) -> str:
    """Return the cache key of a definition."""
    return digest("built-in", library_key(), target.triple, *_relevant(instance, target, flags), symbol)


def _processor_macros(target: Target) -> list[str]:
    """Return what templates may know of a processor: fused multiply-add, tables in a register, a clock."""
    tables = ["-DWEFT_TABLES=1"] if target.register_tables else []
    sizes = (4, 8) if target.table_lookups else ()
    lookups = zip(sizes, target.table_lookups, strict=True)
    tables += (f'-DWEFT_LOOKUP_{bytes}="{name}"' for bytes, name in lookups)
    return [*fma_macros(target), *tables, *_counter_macros(target)]


def _counter_macros(target: Target) -> list[str]:
    """Return how to read a clock after all preceding instructions."""
    if target.clock_assembly:
        return [f'-DWEFT_CLOCK_ASSEMBLY="{target.clock_assembly}"']
    fence = [f'-DWEFT_COUNTER_FENCE="{target.counter_fence}"'] if target.counter_fence else []
    return [f"-DWEFT_COUNTER=__builtin_{target.cycle_counter}", *fence]


def _defines(target: Target, flags: BuiltinFlags) -> list[str]:
    """Return everything that definitions depend on besides symbols: macros for processor and flags."""
    return [*_processor_macros(target), *flags.clang_arguments()]


def _relevant(instance: Instance, target: Target, flags: BuiltinFlags) -> list[str]:
    """Return the macros that `instance` depends on: most built-ins are equal for all flags."""
    return [*_processor_macros(target), *_used(instance, flags.clang_arguments())]


def _used(instance: Instance, macros: list[str]) -> list[str]:
    """Return those of the macros of build options that `instance` depends on."""
    texts = [catalogue().templates[needed.template].text for needed in catalogue().closure(instance)]
    return [macro for macro in macros if any(macro[2:].partition("=")[0] in text for text in texts)]
