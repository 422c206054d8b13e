"""A cache of parsed modules: parsing takes longer than most passes."""

from collections import OrderedDict

from weft.locks import new_lock

from .function import Module
from .parser import parse

# Maximum number of cached modules; most kernels are compiled soon after their program is built.
MOST = 8

_kept: OrderedDict[str, Module] = OrderedDict()
_lock = new_lock()


def keep(text: str, module: Module) -> None:
    """Cache the module parsed from a text; the caller must not have changed it."""
    with _lock:
        _kept[text] = module
        while len(_kept) > MOST:
            _kept.popitem(last=False)


def take(text: str) -> Module:
    """Return the module of a text, which the caller then owns."""
    with _lock:
        module = _kept.pop(text, None)
    return parse(text) if module is None else module
