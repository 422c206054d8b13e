"""Calls into LLVM in which a failed assertion ends the call, not the process.

llvmlite's LLVM is built with assertions, which rare programs trigger (those of NewGVN, about one in ten
thousand random kernels). The module of an abandoned call is neither used again nor freed.
"""

import ctypes
from typing import Any

from weft.codegen._self_checks import ffi, lib
from weft.codegen.binding import SelfCheckFailed, abandoned, llvm


def run_manager(manager: Any, module: Any, builder: Any) -> None:
    """Run the passes of a manager over a module; raise SelfCheckFailed if an assertion fails.

    Then these objects and the module's context must not be used any more. The caller holds llvmlite's lock.
    """
    function = ctypes.cast(llvm().ffi.lib.LLVMPY_RunNewModulePassManager._cfn, ctypes.c_void_p).value
    objects = (manager, module, builder)
    addresses = [ctypes.cast(item._ptr, ctypes.c_void_p).value for item in objects]
    abandoned.append((*objects, module._context))
    if lib.weft_call_checked(function, *addresses):
        message = ffi.string(lib.weft_failed_check()).decode(errors="replace")
        raise SelfCheckFailed(f"an LLVM assertion failed: {message or 'abort was called'}")
    abandoned.pop()
