"""`weft tta`: compiles kernels for a transport-triggered processor and shows their schedules."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from weft.cli.sizes import read_size
from weft.cli.words import join_options
from weft.explain.explain import explain
from weft.explain.html import Panel, page
from weft.frontend.program_source import read_source
from weft.frontend.source_key import source_text
from weft.kernel import KernelCode
from weft.program import build
from weft.tta.compile import TtaKernel, TtaOptions, compile_kernel
from weft.tta.draw import block_html
from weft.tta.errors import Refused
from weft.tta.machine import DEFAULT, FOLDER, load_machine
from weft.tta.program import Program
from weft.tta.report import lower_bound, schedule_text, unit_shares, utilisation
from weft.tta.simulate import Simulator

# The local size if neither the command line nor the kernel specifies one.
TYPICAL = (8, 1, 1)


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    parser = _parser()
    options = parser.parse_args(join_options(arguments))
    if options.file is None:
        parser.error("no program given; - reads standard input")
    if options.items < 1:
        parser.error(f"--items must be at least 1, got {options.items}")
    machine = load_machine(options.machine)
    data = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
    program = build(source_text(data), options.options)
    unknown = [name for name in options.kernel if name not in program.kernels]
    if unknown:
        parser.error(f"unknown kernel {unknown[0]!r}; available: {', '.join(program.kernels)}")
    how = TtaOptions(
        horizontal=not options.no_horizontal,
        items=options.items,
        guards=not options.no_guards,
        pipeline=not options.no_pipeline,
    )
    failed = False
    panels: dict[str, Panel] = {}
    for name in options.kernel or program.kernels:
        kernel = program.kernels[name]
        size = options.local or _required(kernel.code) or TYPICAL
        try:
            compiled = compile_kernel(kernel.code, kernel.options, size, machine, how)
        except Refused as error:
            print(f"weft tta: {name}: {error}", file=sys.stderr)
            failed = True
            continue
        Simulator(compiled.program)  # raises IllegalSchedule if the machine cannot run the schedule
        if options.html is None:
            for line in _lines(compiled, options.block):
                print(line)
        else:
            panels[name] = _panel(compiled, options.block)
    if options.html is not None:
        file = "standard input" if options.file == "-" else options.file
        report = explain(
            read_source(data), file, options.options, kernels=options.kernel, local_size=options.local
        )
        Path(options.html).write_text(page(report, panels), "utf-8", "backslashreplace")
    return 1 if failed else 0


def _required(code: KernelCode) -> tuple[int, int, int] | None:
    return code.info.reqd_work_group_size


def _panel(kernel: TtaKernel, only: str | None) -> Panel:
    """Return the schedule of a kernel for its page."""
    size = "x".join(map(str, kernel.local_size))
    blocks = [block for block in kernel.program.blocks if only is None or only in block.name]
    notes = "".join(f'<p class="remark">{escape(line.strip())}</p>' for line in _notes(kernel))
    return Panel(
        "Schedule",
        f"on {kernel.program.machine.name}, for work-groups of {size}; a cell is an operation that starts, "
        "or a register file that is read or written; on the right how much of each is used",
        f'<div class="schedule">{notes}</div>'
        + "".join(block_html(kernel.program, block) for block in blocks),
    )


def _lines(kernel: TtaKernel, only: str | None) -> Iterator[str]:
    machine = kernel.program.machine
    size = "x".join(map(str, kernel.local_size))
    yield f"kernel {kernel.name} for work-groups of {size} on {machine.name}"
    yield from _notes(kernel)
    for block in kernel.program.blocks:
        if only is not None and only not in block.name:
            continue
        usage = utilisation(Program(machine, [block]))
        statistics = block.statistics
        yield ""
        yield (
            f"block {block.name}: {block.length} cycles, {statistics.operations} operations "
            f"({usage.operations_per_cycle:.2f} per cycle), {usage.moves} moves; "
            f"{statistics.bypassed} operands bypassed, {statistics.shared} shared, "
            f"{statistics.dead_results} results never written to a register"
        )
        yield from schedule_text(kernel.program, block)
        bounds = lower_bound(kernel.program, block)
        for use in usage.uses:
            each = " ".join(f"{share:.0%}" for share in unit_shares(machine, block, use.name))
            yield f"  {use.name:<16} {use.share:>6.1%}  at least {bounds[use.name]} cycles  {each}".rstrip()


def _notes(kernel: TtaKernel) -> Iterator[str]:
    """Yield what the compiler did with loops and branches."""
    for loop in kernel.loops:
        why = f" ({loop.why})" if loop.why else ""
        of = loop.size or "?"
        yield f"  work-item loop {loop.header}: {loop.factor} of {of} work-items in an iteration{why}"
    for overlapped in kernel.pipelined:
        yield (
            f"  loop {overlapped.loop}: {overlapped.stages} iterations overlap, "
            f"initiation interval {overlapped.interval}"
        )
    if kernel.softened:
        yield f"  {kernel.softened} operations are emulated"
    yield f"  {kernel.converted} branches if-converted, {kernel.spilled} bytes of values spilled"


def _parser() -> argparse.ArgumentParser:
    machines = ", ".join(sorted(path.stem for path in FOLDER.glob("*.toml")))
    parser = argparse.ArgumentParser(
        prog="weft tta",
        description="Compiles kernels for a transport-triggered processor and prints their schedules: a line "
        "for each cycle, a column for each bus, and how much of each unit is used.",
        epilog="example: weft tta dct.cl --local 8,8",
    )
    parser.add_argument("file", nargs="?", help="OpenCL C or SPIR-V file; - reads standard input")
    parser.add_argument("--kernel", action="append", default=[], help="only this kernel; may be repeated")
    parser.add_argument("--local", type=read_size, metavar="X,Y,Z", help="the local size (8,1,1)")
    parser.add_argument("--machine", default=DEFAULT, help=f"{machines}, or a file ({DEFAULT})")
    parser.add_argument("--options", default="", help="build options of clBuildProgram")
    parser.add_argument("--block", metavar="TEXT", help="print only blocks whose names contain this text")
    parser.add_argument(
        "--items", type=int, default=TtaOptions.items, metavar="N",
        help=f"work-items in one iteration of their loop, at most ({TtaOptions.items})",
    )  # fmt: skip
    parser.add_argument(
        "--html", metavar="FILE",
        help="write the page of `weft explain` with the schedules drawn on it, instead of printing them",
    )  # fmt: skip
    parser.add_argument("--no-horizontal", action="store_true", help="disable loop interchange")
    parser.add_argument("--no-guards", action="store_true", help="do not if-convert branches")
    parser.add_argument("--no-pipeline", action="store_true", help="disable software pipelining")
    return parser
