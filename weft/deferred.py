"""Functions whose modules are imported when they are first called.

Use it only where it matters measurably: half the modules of the kernel compiler are passes that baseline code
does not need, and the first launch of a program would wait for them. Write the imports twice, once for type
checkers and for the test of import directions:

    if TYPE_CHECKING:
        from weft.transform.simd.split_vectors import split_vectors
    else:
        split_vectors = deferred("weft.transform.simd.split_vectors")
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from weft.locks import loading

_modules: set[str] = set()


def deferred(module: str, name: str = "") -> Callable[..., Any]:
    """Return a function that imports `module` and calls its function `name` (default: the module's name)."""
    name = name or module.rpartition(".")[2]
    _modules.add(module)

    def call(*arguments: Any, **named: Any) -> Any:
        with loading:
            imported = import_module(module)
        return getattr(imported, name)(*arguments, **named)

    call.__name__ = call.__qualname__ = name
    return call


def load_deferred() -> None:
    """Import all deferred modules, for a process that compiles for others."""
    for module in sorted(_modules):
        import_module(module)
