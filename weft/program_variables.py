"""Storage for a program's variables in global memory, one instance on each device.

The compiler emits the definitions as a module (`weft/compiler/separate_variables.py`). It is compiled to an
object file of data, whose addresses the code loader resolves, including addresses of variables in initial
values. A device loads it with the first kernel that uses variables. All code of the program that is loaded
later refers to that storage, for all kernels and tiers. The storage lives as long as the built program.
"""

import ctypes
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from weft import abi
from weft.codegen.cache import default_cache, digest
from weft.codegen.load import CodeLoader, LoadedCode
from weft.codegen.load import load as load_code
from weft.group_code import DeviceMemory
from weft.kernel import KernelCode
from weft.lazy_pattern import lazy_pattern
from weft.locks import new_lock
from weft.target import Target
from weft.toolchain import toolchain_key

_POINTER_BYTES = 8
# Variable names need no quotation marks. A program may have 10,000 initial values, so the text is not parsed.
_DEFINED = lazy_pattern(r"^@([\w.]+) = ", re.MULTILINE)
_NO_IMPORTS: Mapping[str, int] = {}


class ProgramVariables:
    """The variables of a program in global memory; `text` is the module that defines them, or empty."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._loaders: dict[DeviceMemory | None, CodeLoader] = {}
        self._lock = new_lock()

    @property
    def nbytes(self) -> int:
        """The size of all variables in bytes."""
        if not self.text:
            return 0
        from weft.ir.types import size_of  # see below

        return sum(size_of(variable.value_type) for variable in self._module.variables)

    def are_used_by(self, kernel: KernelCode) -> bool:
        """Whether a kernel refers to variables."""
        return bool(self.text) and f"@{abi.VARIABLE}" in kernel.text

    def loader(self, memory: DeviceMemory | None = None) -> CodeLoader:
        """Return the loader for code of the program on the device with `memory` (None: in this process)."""
        with self._lock:
            if memory not in self._loaders:
                self._loaders[memory] = _Loader(self, memory.loader if memory is not None else None)
            return self._loaders[memory]

    def load(self, load: Any, target: Target | None) -> tuple[LoadedCode, dict[str, int]]:
        """Create storage by the `load` function of a loader; return it and the address of each variable."""
        names = _DEFINED.findall(self.text)
        storage: LoadedCode = load(self._object_code(target), abi.VARIABLES)
        table = (ctypes.c_uint64 * len(names)).from_address(storage.address)
        return storage, dict(zip(names, table, strict=True))

    @cached_property
    def _module(self) -> Any:
        from weft import ir  # not needed by programs without variables

        return ir.parse(self.text)

    def _object_code(self, target: Target | None) -> bytes:
        """Return an object file with the variables and a table of their addresses, cached or compiled now."""
        key = digest("variables", toolchain_key(), self.text, target.triple if target else "")
        code = default_cache().get(key)
        if code is None:
            from weft.codegen.jit import data_object  # imports LLVM, which is also needed to load code

            variables = self._module.variables
            addresses = (f"ptr addrspacecast ({v.type} {v.reference} to ptr)" for v in variables)
            table = f"@{abi.VARIABLES} = constant [{len(variables)} x ptr] [{', '.join(addresses)}]"
            code = data_object(f"{self.text}{table}\n", target)
            default_cache().put(key, code)
        return code


class _Loader:
    """Loads code that refers to variables, and their storage before the first code."""

    def __init__(self, variables: ProgramVariables, code_loader: CodeLoader | None) -> None:
        self._variables = variables
        self._code_loader = code_loader
        self._storage: tuple[LoadedCode, dict[str, int]] | None = None
        self._lock = new_lock()

    @property
    def target(self) -> Target | None:
        """The processor for which the code must be compiled; None: the host's."""
        return self._code_loader.target if self._code_loader is not None else None

    def load(
        self,
        object_code: bytes,
        symbol: str,
        *,
        data: str | None = None,
        variables: Mapping[str, int] = _NO_IMPORTS,
    ) -> LoadedCode:
        """Load an object file, and find `symbol` and, if not None, the variable `data` in it."""
        if self._code_loader is None:
            load: Any = load_code
        else:
            load = self._code_loader.load
        with self._lock:
            if self._storage is None:
                self._storage = self._variables.load(load, self.target)
        loaded: LoadedCode = load(object_code, symbol, data=data, variables={**self._storage[1], **variables})
        return loaded
