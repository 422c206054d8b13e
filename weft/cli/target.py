"""`weft target`: the processor that code is generated for, and its cost table."""

import argparse
from collections.abc import Sequence

from weft.codegen.host import host_target
from weft.dataclasses import fields
from weft.target import Target, architecture
from weft.target.cost_table import Row, cost_rows

_HIDDEN = ("costs", "intrinsic_features")


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="weft target",
        description="Shows the properties and the cost table of the target processor, or of another one.",
    )
    parser.add_argument("--arch", metavar="NAME", help="architecture: x86_64, aarch64, riscv64 or ppc64le")
    parser.add_argument("--cpu", metavar="NAME", help="processor or level, such as x86-64-v3")
    options = parser.parse_args(arguments)
    target = host_target()
    if options.arch or options.cpu:
        kind = architecture(options.arch or target.triple.partition("-")[0])
        levels = kind.levels()
        # LLVM cannot list the features of other processors.
        if options.cpu and options.cpu not in levels:
            parser.error(f"--cpu {options.cpu}: expected one of {', '.join(levels)}")
        target = kind.describe(options.cpu or next(iter(levels)))
    print("\n".join(_lines(target)))
    return 0


def _lines(target: Target) -> list[str]:
    shown = {f.name: getattr(target, f.name) for f in fields(target) if f.name not in _HIDDEN}
    rows = cost_rows(target.costs.processor)
    width = max(map(len, (*shown, *rows)))
    lines = [f"{name:<{width}}  {_text(value)}" for name, value in shown.items()]
    lines += [
        "",
        f"costs of {target.costs.processor}, in vector additions unless a unit is given",
    ]
    return lines + [f"{name:<{width}}  {_row(row)}" for name, row in rows.items()]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value) if isinstance(value, tuple) else str(value)


def _row(row: Row) -> str:
    calibrated = f", calibrated {row.calibrated:g}" if row.calibrated is not None else ""
    return f"{row.value:g} {row.unit}{calibrated}: {row.source}"
