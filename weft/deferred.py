"""Functions whose modules are imported when they are first called.

Only where it was measured to matter: half the modules of the kernel compiler are passes that baseline code
does without, and the first launch of a program would wait for them. Write the imports twice, once for type
checkers and for the test of the order of imports:

    if TYPE_CHECKING:
        from weft.transform.simd.split_vectors import split_vectors
    else:
        split_vectors = deferred("weft.transform.simd.split_vectors")
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

_modules: set[str] = set()


def deferred(module: str, name: str = "") -> Callable[..., Any]:
    """The function of a module that has its name, or another name."""
    name = name or module.rpartition(".")[2]
    _modules.add(module)

    def call(*arguments: Any, **named: Any) -> Any:
        return getattr(import_module(module), name)(*arguments, **named)

    call.__name__ = call.__qualname__ = name
    return call


def load_deferred() -> None:
    """Imports them all, for a process that compiles for others."""
    for module in sorted(_modules):
        import_module(module)
