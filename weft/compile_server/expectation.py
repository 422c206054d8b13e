"""Predict whether a program that creates a context will compile something.

A program that creates a context will build programs, and a compile server takes a while to start. So one is
started with the context (`client.prepare`), unless the last build of the program was found in the cache: then
the next one probably will be too. The cache records that for each program, by its name and first argument.
"""

from pathlib import Path

from weft.codegen.cache import default_cache, digest
from weft.toolchain import toolchain_key

_FOUND, _COMPILED = b"found", b"compiled"


def is_expected() -> bool:
    """Whether the next build of this program probably has to be compiled."""
    return default_cache().get(_key()) != _FOUND


def note(*, found: bool) -> None:
    """Remember whether a build was found in the cache."""
    store, key, now = default_cache(), _key(), _FOUND if found else _COMPILED
    before = store.get(key)
    if before != now and (found or before is not None):
        store.put(key, now)


def _key() -> str:
    try:
        words = Path("/proc/self/cmdline").read_bytes().split(b"\0")[:2]
    except OSError:  # without /proc, all programs share one entry
        words = []
    return digest("last build", toolchain_key(), *words)
