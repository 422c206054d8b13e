"""`weft devices`: the devices of this machine, their main properties, and how their memory is divided."""

import argparse
import os
import runpy
import sys
import traceback
from collections.abc import Sequence

from weft.device.base import Device, devices


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="weft devices", description="Shows the devices of this machine and their main properties."
    )
    parser.add_argument("--memory", action="store_true", help="show how each device's memory is divided")
    parser.add_argument(
        "program",
        nargs="?",
        help="with --memory: a Python program to run first",
    )
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the program")
    parsed = parser.parse_args(arguments)
    if parsed.program is not None and not parsed.memory:
        parser.error("a program requires --memory")
    if not parsed.memory:
        _show_properties(devices())
        return 0
    kept, status = _run(parsed.program, parsed.arguments) if parsed.program is not None else ({}, 0)
    _show_memory(devices())
    del kept
    return status


def _run(program: str, arguments: Sequence[str]) -> tuple[dict[str, object], int]:
    """Run a Python program in this process; return its variables and its exit status."""
    sys.argv[:] = [program, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
    os.stat(program)  # raises an error if there is no such program
    try:
        return runpy.run_path(program, run_name="__main__"), 0
    except SystemExit as end:
        return {}, end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:  # Python does the same
        traceback.print_exc()
        return {}, 1


def _show_properties(devices: Sequence[Device]) -> None:
    columns = [_properties(device) for device in devices]
    labels = list(columns[0])
    label_width = max(map(len, labels))
    widths = [max(len(text) for text in column.values()) for column in columns]
    for label in labels:
        cells = [f"{column[label]:<{width}}" for column, width in zip(columns, widths, strict=True)]
        print(f"{label:<{label_width}}  {'  '.join(cells)}".rstrip())


def _show_memory(devices: Sequence[Device]) -> None:
    """Show the memory regions of each device in this process."""
    for device in devices:
        parts = device.memory.statistics()
        print(f"{device.kind}: {'a separate region' if parts else 'host memory, managed by the C library'}")
        for name, part in parts.items():
            in_use = f"{_size(part.allocated)} of {_size(part.size)} in {part.chunks} chunks"
            free = (
                f"{part.holes} holes, largest free chunk {_size(part.largest_free)}, peak {_size(part.peak)}"
            )
            print(f"  {name:<9}  {in_use}, {free}, fragmentation {part.fragmentation:.0%}")
        if device.memory.copies is not None:
            moved = device.memory.copies.moved
            kinds = (("written", moved.written), ("read", moved.read), ("copied", moved.copied))
            bytes_ = ", ".join(f"{_size(value)} {name}" for name, value in (*kinds, ("filled", moved.filled)))
            print(f"  copies     {bytes_}, {moved.given_up} evicted")


def _properties(device: Device) -> dict[str, str]:
    info = device.info
    caches = (info.l1_bytes, info.l2_bytes, info.l3_bytes)
    return {
        "device": info.kind,
        "name": info.name,
        "vendor": info.vendor,
        "compute units": str(info.compute_units),
        "clock": f"{info.clock_mhz} MHz" if info.clock_mhz else "unknown",
        "vector registers": f"{8 * info.vector_bytes} bits",
        "largest work-group": f"{info.max_work_group_size} {_by(info.max_work_item_sizes)}",
        "global memory": _size(info.global_memory_bytes),
        "largest buffer": _size(info.max_allocation_bytes),
        "local memory": _size(info.local_memory_bytes),
        "caches": " / ".join(_size(cache) for cache in caches if cache) or "unknown",
        "cache line": f"{info.cache_line_bytes} B",
    }


def _by(sizes: Sequence[int]) -> str:
    return f"({' x '.join(map(str, sizes))})"


def _size(count: int) -> str:
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            break
        value /= 1024
    return f"{value:.4g} {unit}"
