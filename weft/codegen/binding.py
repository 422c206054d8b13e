"""Import and initialize llvmlite at first use; the only access of this package to LLVM.

llvmlite takes a lock around every call into LLVM, so calls from several threads are safe but serialized. Weft
never uses LLVM's global context: each run has its own context, which other users of llvmlite in the process
(numba, for instance) cannot affect.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from weft.codegen import late_allocator
from weft.errors import ToolError
from weft.locks import new_lock

_initialise_lock = new_lock()
_binding: Any = None


def llvm() -> Any:
    """The module `llvmlite.binding`, ready to generate code for the host."""
    global _binding
    if _binding is None:
        with _initialise_lock:
            if _binding is None:
                _binding = _initialise()
    return _binding


@cache
def preload() -> None:
    """Has the system read LLVM's library from disk: it will be asked for.

    It is not loaded yet. A program may exit at any time, which runs the destructors of libraries: a thread
    that loads one meanwhile would still be running its constructors.
    """
    try:
        library, _ = _library()
        file = os.open(library, os.O_RDONLY | os.O_CLOEXEC)
    except (ImportError, OSError):
        return  # as the first build will say
    try:
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_WILLNEED)
    finally:
        os.close(file)


def _library() -> tuple[Path, int]:
    """LLVM's library, and how it is to be loaded."""
    import llvmlite
    from llvmlite.utils import get_library_name

    return Path(llvmlite.__file__).parent / "binding" / get_library_name(), late_allocator.mode()


def _initialise() -> Any:
    # Importing llvmlite takes 60-90 ms: a client that compiles and loads nothing must not pay it.
    late_allocator.load(*_library())
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()
    # A fork while another thread is inside LLVM would leave llvmlite's lock taken in the child for ever,
    # so forking waits for that call to end.
    lock = binding.ffi.lib._lock._lock
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return binding


@contextmanager
def complaints(action: str) -> Iterator[None]:
    """Turns an error that LLVM reports inside into a ToolError that says what was being done."""
    try:
        yield
    except RuntimeError as error:
        raise ToolError(f"LLVM could not {action}: {str(error).strip()}") from error


class SelfCheckFailed(ToolError):
    """LLVM found something wrong with itself."""


# What calls of LLVM work on that have not come to their end: the last of each is a context.
abandoned: list[tuple[Any, ...]] = []


class LlvmContext:
    """LLVM's modules and the context they belong to, freed in this order at the end of a `with` statement.

    llvmlite leaves it to Python when each is freed. Where an exception keeps them in a cycle of references
    Python may begin with the context, and a module that is freed after its context ends the process. So does
    one that is freed after LLVM left it half changed: nothing is freed of what a call was left with.
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
        """A module of text or bitcode; raises what LLVM has to say against it."""
        read = llvm().parse_bitcode if isinstance(module, bytes) else llvm().parse_assembly
        parsed = read(module, self._context)
        self._modules.append(parsed)
        return parsed
