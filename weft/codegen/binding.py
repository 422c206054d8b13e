"""Import and initialize llvmlite at first use; with `llvm_library.py`, the only access of Weft to LLVM.

llvmlite takes a lock around every call into LLVM, so calls from several threads are safe but serialized. Weft
never uses LLVM's global context: each run has its own context, which other users of llvmlite in the process
(numba, for instance) cannot affect.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any

from weft.codegen import late_allocator
from weft.errors import ToolError
from weft.locks import loading

_binding: Any = None
inside = RLock()
"""Held by a thread of Weft that is inside LLVM (`llvm_library.py`)."""


def llvm() -> Any:
    """Return the module `llvmlite.binding`, ready to generate code for the host."""
    global _binding
    if _binding is None:
        # A thread that is inside LLVM holds llvmlite's lock only if there was one when it entered.
        with loading, inside:
            if _binding is None:
                _binding = _initialise()
    return _binding


@cache
def preload() -> None:
    """Let the system read LLVM's library from disk ahead of its first use.

    It is not loaded yet. A program may exit at any time, which runs the destructors of libraries; a thread
    that loads a library at that time would still be running its constructors.
    """
    try:
        path, _ = library()
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except (ImportError, OSError):
        return  # the first build reports it
    try:
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_WILLNEED)
    finally:
        os.close(file)


def library() -> tuple[Path, int]:
    """Return the path of LLVM's library and the mode in which to load it."""
    import llvmlite
    from llvmlite.utils import get_library_name

    return Path(llvmlite.__file__).parent / "binding" / get_library_name(), late_allocator.mode()


def _initialise() -> Any:
    # Importing llvmlite takes longer than loading its library: builds do without it (`llvm_library.py`).
    late_allocator.load(*library())
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()
    return binding


def _lock_of_llvmlite() -> Any:
    return _binding.ffi.lib._lock._lock


def _before_fork() -> None:
    """Wait until no other thread loads the compiler or is inside LLVM: the child would keep its locks."""
    loading.acquire()
    inside.acquire()
    if _binding is not None:
        _lock_of_llvmlite().acquire()


def _after_fork() -> None:
    if _binding is not None:
        _lock_of_llvmlite().release()
    inside.release()
    loading.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


@contextmanager
def complaints(action: str) -> Iterator[None]:
    """Turn an error that LLVM reports inside the context into a ToolError that names the action."""
    try:
        yield
    except RuntimeError as error:
        raise ToolError(f"LLVM could not {action}: {str(error).strip()}") from error


class SelfCheckFailed(ToolError):
    """An LLVM assertion failed."""


# The objects of LLVM calls that have not ended: the last of each is a context.
abandoned: list[tuple[Any, ...]] = []


class LlvmContext:
    """An LLVM context and its modules, freed in the correct order at the end of a `with` statement.

    llvmlite leaves the order to Python. If an exception keeps the objects in a reference cycle, Python may
    free the context first, and freeing a module after its context crashes the process. So does freeing a
    module that LLVM left half changed: the objects of an abandoned call are not freed.
    """

    def __enter__(self) -> "LlvmContext":
        self._modules: list[Any] = []
        self._context = llvm().create_context()
        return self

    def __exit__(self, *_: object) -> None:
        if any(objects[-1] is self._context for objects in abandoned):
            return
        for module in self._modules:
            module.close()
        self._context.close()

    def parse(self, module: str | bytes) -> Any:
        """Parse a module given as text or bitcode; LLVM's errors are raised."""
        read = llvm().parse_bitcode if isinstance(module, bytes) else llvm().parse_assembly
        parsed = read(module, self._context)
        self._modules.append(parsed)
        return parsed
