"""Whether a program that makes a context will have something compiled.

Who makes a context will build programs, and a compile server takes a while to start. So one is started with
the context (`client.prepare`), unless the program found its last build in the cache: then it will most likely
find the next one there too. The cache keeps what the last build was like for each program that runs, by its
name and first argument.
"""

from pathlib import Path

from weft.codegen.cache import default_cache, digest
from weft.toolchain import toolchain_key

_FOUND, _COMPILED = b"found", b"compiled"


def is_expected() -> bool:
    """Whether the next build of this program will probably not be found in the cache."""
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
    except OSError:  # a system without it has one entry for all programs
        words = []
    return digest("last build", toolchain_key(), *words)
