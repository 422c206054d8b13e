"""The functions of LLVM that a build needs, called in llvmlite's library without its Python package.

Importing that package takes twice as long as loading the library: it declares 400 functions. Here 60 are
declared, each when it is first called. Other users of LLVM get the package from `binding.llvm`; a process may
use both.
"""

import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from weft.codegen import binding
from weft.codegen._self_checks import ffi, lib
from weft.codegen.binding import SelfCheckFailed, abandoned, complaints
from weft.locks import loading
from weft.target import Target

_POINTER, _TEXT, _INT, _BOOL = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_bool
_OUTPUT = ctypes.POINTER(ctypes.c_char_p)

# Functions, all with the prefix LLVMPY_: type of the result, types of the parameters.
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "ContextCreate": (_POINTER,),
    "ContextDispose": (None, _POINTER),
    "CreateNewModulePassManager": (_POINTER,),
    "CreatePassBuilder": (_POINTER, _POINTER, _POINTER),
    "CreatePipelineTuningOptions": (_POINTER,),
    "CreateTargetMachine": (_POINTER, _POINTER, *[_TEXT] * 3, _INT, *[_TEXT] * 2, _INT, _INT, _TEXT),
    "DisposeModule": (None, _POINTER),
    "DisposeNewModulePassManger": (None, _POINTER),
    "DisposeString": (None, _TEXT),
    "GetHostCPUFeatures": (_INT, _OUTPUT),
    "GetHostCPUName": (None, _OUTPUT),
    "GetProcessTriple": (None, _OUTPUT),
    "GetTargetFromTriple": (_POINTER, _TEXT, _OUTPUT),
    "InitializeAllAsmPrinters": (None,),
    "InitializeAllTargetInfos": (None,),
    "InitializeAllTargetMCs": (None,),
    "InitializeAllTargets": (None,),
    "InitializeNativeAsmParser": (None,),
    "InitializeNativeAsmPrinter": (None,),
    "InitializeNativeTarget": (None,),
    "LinkModules": (_INT, _POINTER, _POINTER, _OUTPUT),
    "PTOSetLoopInterleaving": (None, _POINTER, _BOOL),
    "PTOSetLoopVectorization": (None, _POINTER, _BOOL),
    "PTOSetSLPVectorization": (None, _POINTER, _BOOL),
    "ParseAssembly": (_POINTER, _POINTER, _TEXT, _OUTPUT),
    "PrintModuleToString": (None, _POINTER, _OUTPUT),
    "VerifyModule": (_BOOL, _POINTER, _OUTPUT),
}
_ADDS_PASS = (None, _POINTER)
_JUMP_THREADING = "AddJumpThreadingPass_module"
_LEVEL = 2
_RUN = "LLVMPY_RunNewModulePassManager"


class Library:
    """The library, loaded and initialized for the processor of this machine."""

    def __init__(self) -> None:
        path, mode = binding.library()
        self._library = ctypes.CDLL(str(path), mode=mode)
        self._functions: dict[str, Any] = {}
        self.runs_passes = ctypes.cast(self._library[_RUN], ctypes.c_void_p).value
        self.call("InitializeNativeTarget")
        self.call("InitializeNativeAsmPrinter")
        self.call("InitializeNativeAsmParser")

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function by its name without LLVMPY_."""
        function = self._functions.get(name)
        if function is None:
            function = self._library[f"LLVMPY_{name}"]
            function.restype, *parameters = _FUNCTIONS.get(name, _ADDS_PASS)
            function.argtypes = parameters
            self._functions[name] = function
        return _alone(function, *arguments)

    def text(self, name: str, *arguments: Any) -> tuple[Any, str]:
        """Call a function whose last parameter is a string that it returns; return its result and that."""
        output = ctypes.c_char_p()
        result = self.call(name, *arguments, ctypes.byref(output))
        try:
            return result, (output.value or b"").decode()
        finally:
            if output:
                self.call("DisposeString", output)


_loaded: Library | None = None


def library() -> Library:
    """Return the library, loaded at the first call."""
    global _loaded
    if _loaded is None:
        with loading:
            if _loaded is None:
                _loaded = Library()
    return _loaded


def is_loaded() -> bool:
    """Return whether this process has loaded the library for builds."""
    return _loaded is not None


def _alone(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of LLVM while no other thread is inside LLVM, including those that use llvmlite."""
    with binding.inside:
        package = getattr(sys.modules.get("llvmlite.binding.ffi"), "lib", None)
        if package is None:
            return function(*arguments)
        with package._lock:
            return function(*arguments)


class PassContext:
    """An LLVM context in which passes run, freed with its modules at the end of a `with` statement.

    What a failed assertion leaves half changed is not freed.
    """

    def __enter__(self) -> "PassContext":
        self._library = library()
        self._modules: list[int] = []
        self._handle = self._library.call("ContextCreate")
        return self

    def __exit__(self, *_: object) -> None:
        if any(objects[-1] is self for objects in abandoned):
            return
        for module in self._modules:
            self._library.call("DisposeModule", module)
        self._library.call("ContextDispose", self._handle)

    def parse(self, text: str) -> int:
        """Parse and verify a module; return its handle."""
        with complaints("parse the module"):
            module, message = self._library.text("ParseAssembly", self._handle, text.encode())
            if module and not message:
                self._modules.append(module)
            else:
                raise RuntimeError(f"LLVM IR parsing error\n{message}")
        with complaints("accept the module"):
            is_broken, message = self._library.text("VerifyModule", module)
            if is_broken:
                raise RuntimeError(message)
        return int(module)

    def link(self, module: int, other: int) -> None:
        """Link a module into another one; it ceases to exist."""
        self._modules.remove(other)
        with complaints("link the modules"):
            failed, message = self._library.text("LinkModules", module, other)
            if failed:
                raise RuntimeError(message)

    def text(self, module: int) -> str:
        """Return a module as text."""
        return self._library.text("PrintModuleToString", module)[1]

    def run(self, passes: Sequence[str], module: int, target: Target) -> None:
        """Run passes, named by the functions that add them; raise SelfCheckFailed if an assertion fails."""
        builder = _pass_builder(target)
        manager = self._library.call("CreateNewModulePassManager")
        for name in passes:
            if name == _JUMP_THREADING:
                self._library.call(name, manager, -1)
            else:
                self._library.call(name, manager)
        message = _alone(_checked, self, self._library.runs_passes, manager, module, builder)
        if message is not None:
            _pass_builder.cache_clear()
            raise SelfCheckFailed(f"an LLVM assertion failed: {message or 'abort was called'}")
        self._library.call("DisposeNewModulePassManger", manager)


_FUNCTIONS[_JUMP_THREADING] = (None, _POINTER, _INT)


def _checked(context: PassContext, function: int, *objects: int) -> str | None:
    """Call a function with objects of a context; return the assertion that fails in it, if any."""
    abandoned.append((*objects, context))
    if not lib.weft_call_checked(function, *objects):
        abandoned.pop()
        return None
    return str(ffi.string(lib.weft_failed_check()).decode(errors="replace"))


def process_triple() -> str:
    """Return the triple of the code of this process."""
    return library().text("GetProcessTriple")[1]


def host_processor() -> tuple[str, str]:
    """Return the name of this machine's processor, and its features in alphabetical order."""
    _, name = library().text("GetHostCPUName")
    known, features = library().text("GetHostCPUFeatures")
    flags = sorted(filter(None, features.split(",")), key=lambda flag: flag[1:]) if known else ()
    return name, ",".join(flags)


@cache
def _pass_builder(target: Target) -> int:
    """Return the pass builder for a target; it is kept."""
    llvm = library()
    options = llvm.call("CreatePipelineTuningOptions")
    llvm.call("PTOSetLoopVectorization", options, True)
    llvm.call("PTOSetLoopInterleaving", options, True)
    llvm.call("PTOSetSLPVectorization", options, False)
    return int(llvm.call("CreatePassBuilder", _machine(target.triple, target.cpu, target.features), options))


@cache
def _machine(triple: str, cpu: str, features: str) -> int:
    """Return LLVM's TargetMachine, as `machine.machine` does."""
    llvm = library()
    if triple.partition("-")[0] != process_triple().partition("-")[0]:
        for part in ("AllTargetInfos", "AllTargets", "AllTargetMCs", "AllAsmPrinters"):
            llvm.call(f"Initialize{part}")
    with complaints(f"set up code generation for {cpu}"):
        target, message = llvm.text("GetTargetFromTriple", triple.encode())
        if not target:
            raise RuntimeError(message)
        words = (triple.encode(), cpu.encode(), features.encode())
        made = llvm.call("CreateTargetMachine", target, *words, _LEVEL, b"pic", b"small", 0, 1, b"")
        if not made:
            raise RuntimeError("cannot create a target machine")
        return int(made)
