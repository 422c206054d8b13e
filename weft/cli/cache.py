"""`weft cache`: shows the cache of compiled kernels, `weft cache clear` empties it."""

import argparse
from collections.abc import Sequence

from weft.codegen.cache import default_cache


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="weft cache",
        description="Shows or clears the cache of compiled kernels.",
        epilog="WEFT_CACHE=0 disables it; WEFT_CACHE_DIR and WEFT_CACHE_SIZE set its folder and limit.",
    )
    parser.add_argument("action", nargs="?", choices=("show", "clear"), default="show")
    action = parser.parse_args(arguments).action
    cache = default_cache()
    if action == "clear":
        removed = cache.clear()
        print(f"removed {removed} {'entry' if removed == 1 else 'entries'}")
        return 0
    stats = cache.stats()
    print(f"folder   {stats.folder or 'none'}")
    print(f"state    {stats.state}")
    print(f"entries  {stats.entries}")
    print(f"bytes    {stats.bytes} ({_readable(stats.bytes)})")
    print(f"limit    {stats.limit} ({_readable(stats.limit)})")
    return 0


def _readable(size: int) -> str:
    value = float(size)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:.4g} GiB"
