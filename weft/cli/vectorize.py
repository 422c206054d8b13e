"""`weft vectorize`: rewrites kernels to use vector types, as OpenCL C for any device."""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from weft.cli.sizes import read_sizes
from weft.cli.words import join_options
from weft.compiler.build_program import compile_program
from weft.dataclasses import dataclass
from weft.errors import WeftError
from weft.frontend.options import BuildOptions, parse_options
from weft.frontend.source_key import source_text
from weft.icd.register import library_path
from weft.source.choice import Choice, KernelChoice, choose, column_buffers, rewrite, uses_of
from weft.source.devices import NAIVE
from weft.source.host import c_header, note, python_module
from weft.source.inter import FACTORS
from weft.source.launch_data import launch
from weft.source.layout import Layout, lay_out
from weft.source.measure import Target, measure
from weft.source.model import parse
from weft.source.refusal import Refused
from weft.source.rewrite import INTER, INTRA, Request, Rewritten, vectorize

_WEFT = "weft"
# Common names of platforms, and the names that they report.
_REPORTED = {"pocl": "Portable Computing Language", "intel": "Intel(R) OpenCL", _WEFT: "Weft"}


@dataclass
class _Job:
    """A program and the requested rewrite."""

    text: str
    options: BuildOptions
    file: str
    given: argparse.Namespace
    base: Request
    layouts: tuple[Layout, ...] = ()

    def say(self, line: str) -> None:
        """Print an explanation to standard error."""
        print(line, file=sys.stderr, flush=True)


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    parser = _parser()
    options = parser.parse_args(join_options(arguments))
    _check(parser, options)
    path = Path(options.file)
    data = sys.stdin.buffer.read() if options.file == "-" else path.read_bytes()
    base = Request(
        inter=options.inter,
        intra=options.intra,
        kernels=tuple(options.kernel),
        exact=options.exact,
        fast_math=options.fast_math,
        order=(INTER, INTRA) if options.inter_first else (INTRA, INTER),
    )
    name = "<stdin>" if options.file == "-" else options.file
    job = _Job(source_text(data), parse_options(options.options), name, options, base)
    _write(_rewritten(job), job, path)
    return 0


def _check(parser: argparse.ArgumentParser, parsed: argparse.Namespace) -> None:
    """Exit with a message for invalid combinations of options."""
    if parsed.file is None:
        parser.error("no file given; - reads standard input")
    factors = parsed.inter or parsed.intra
    parsed.auto = parsed.auto or parsed.measure
    if not (factors or parsed.auto or parsed.layout):
        parser.error("specify --inter VF, --intra VF or both, --auto or --measure")
    if factors and parsed.auto:
        parser.error("--auto and --measure choose the factors: remove --inter and --intra")
    if not parsed.measure and (parsed.global_size or parsed.local or parsed.arg):
        parser.error("--global, --local and --arg require --measure")
    if (parsed.buffer or parsed.blocks) and not parsed.layout:
        parser.error("--buffer and --blocks require --layout")
    if parsed.in_place and (parsed.file == "-" or parsed.output):
        parser.error("--in-place requires a file and excludes -o")


def _rewritten(job: _Job) -> Rewritten:
    """Rewrite the program as the options request."""
    if job.given.measure:
        return _measured(job)
    if job.given.layout:
        job.text, job.layouts = _laid_out(job)
    if job.given.auto:
        return _chosen(job)
    if job.given.inter or job.given.intra:
        return vectorize(job.text, job.options, job.file, job.base)
    return Rewritten(job.text)


def _laid_out(job: _Job) -> tuple[str, tuple[Layout, ...]]:
    """Transpose the named buffers, or those whose columns are accessed."""
    given, text = job.given, job.text
    layouts: tuple[Layout, ...] = ()
    # Start with the last kernel, so that the line numbers of earlier ones stay valid.
    for kernel, buffers in reversed(_buffers(job).items()):
        if not buffers:
            job.say(f"{kernel}: no buffer is transposed")
            continue
        try:
            text, changed = lay_out(text, job.options, job.file, kernel, buffers, given.blocks)
        except Refused as why:
            if not given.auto or given.buffer:
                raise
            job.say(f"{kernel}: the layout is unchanged: {why}")
            continue
        layouts = (*changed, *layouts)
    if not layouts and not given.auto:
        raise WeftError(f"{job.file}: no work-item accesses a buffer by columns; name a buffer with --buffer")
    return text, layouts


def _buffers(job: _Job) -> dict[str, tuple[str, ...]]:
    """Return the buffers of each kernel that get another layout."""
    given = job.given
    if given.buffer:
        kernels = [k.name for k in parse(job.text, job.options, job.file).kernels(given.kernel)]
        if len(kernels) != 1:
            names = ", ".join(kernels) or "none"
            raise WeftError(f"--buffer applies to one kernel: select it with --kernel; available: {names}")
        return {kernels[0]: tuple(given.buffer)}
    if given.auto and not given.measure:
        return {one.kernel: one.columns for one in _choice(job).kernels}
    uses = uses_of(job.text, job.options, job.file, given.kernel)
    return {kernel: column_buffers(kernel_uses) for kernel, kernel_uses in uses.items()}


def _choice(job: _Job) -> Choice:
    given = job.given
    return choose(
        job.text,
        job.options,
        given.platform,
        file=job.file,
        kernels=given.kernel,
        fast_math=given.fast_math,
        exact=given.exact,
    )


def _chosen(job: _Job) -> Rewritten:
    """Rewrite the program according to the device table."""
    choice = _choice(job)
    for line in choice.lines():
        job.say(line)
    return choice.rewritten


def _measured(job: _Job) -> Rewritten:
    """Rewrite the program with the candidate that is fastest in measurements."""
    given = job.given
    source = parse(job.text, job.options, job.file)
    kernels = source.kernels(given.kernel)
    if len(kernels) != 1:
        names = ", ".join(k.name for k in kernels) or "none"
        raise WeftError(f"--measure applies to one kernel: select it with --kernel; available: {names}")
    (kernel,) = kernels
    codes = {c.info.name: c for c in compile_program(job.text, job.options, debug_info=True).kernels}
    data = launch(source, kernel, codes[kernel.name], given.global_size, given.local, given.arg)
    if data.guessed:
        job.say(f"inferred arguments: {', '.join(data.guessed)}")
    laid_out = _laid_out(job) if given.layout else None
    if laid_out is not None and not laid_out[1]:
        laid_out = None
    with platform_target(given.platform, given.time_limit) as target:
        measured = measure(
            job.text,
            job.options,
            job.file,
            kernel.name,
            data,
            target,
            job.base,
            given.options,
            laid_out,
            job.say,
        )
    for line in measured.lines():
        job.say(line)
    if measured.chosen == NAIVE:
        job.say(f"{kernel.name}: unchanged: no candidate wins by more than {measured.noise:.0%}")
    else:
        job.say(f"{kernel.name}: {measured.chosen}, {measured.gain:.2f} times as fast")
    if measured.chosen.layout and laid_out is not None:
        job.text, job.layouts = laid_out
    chosen = [KernelChoice(kernel.name, measured.chosen, measured.gain)]
    return rewrite(job.text, job.options, job.file, job.base, chosen)


@contextmanager
def platform_target(platform: str, limit: float) -> Iterator[Target]:
    """Yield the platform with a name, or of a driver's library, and the environment that exposes it."""
    environment = {**os.environ, "PYOPENCL_NO_CACHE": "1"}
    library = Path(platform) if os.sep in platform else library_path() if platform.lower() == _WEFT else None
    if library is None:
        yield Target(_REPORTED.get(platform.lower(), platform), environment, limit)
        return
    if not library.is_file():
        raise WeftError(f"no driver {library}")
    # A loader reads only the `.icd` files of this folder.
    with tempfile.TemporaryDirectory(prefix="weft-vendors-") as folder:
        Path(folder, "driver.icd").write_text(f"{library.resolve()}\n")
        path = os.environ.get("LD_LIBRARY_PATH")
        environment["OCL_ICD_VENDORS"] = folder
        environment["LD_LIBRARY_PATH"] = f"{library.resolve().parent}{os.pathsep + path if path else ''}"
        yield Target("", environment, limit)


def _write(rewritten: Rewritten, job: _Job, path: Path) -> None:
    given = job.given
    output = path if given.in_place else Path(given.output) if given.output else None
    data = rewritten.text.encode("utf-8", "surrogateescape")
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    else:
        if not given.in_place and output.exists() and output.samefile(path):
            raise WeftError(f"{output} is the input file; use --in-place to replace it")
        output.write_bytes(data)
    for layout in job.layouts:
        job.say(layout.note)
    for merged in rewritten.merged:
        job.say(note(merged))
        for line, reason in merged.serial:
            job.say(f"{given.file}:{line}: lanes run sequentially: {reason}")
    for unrolled in rewritten.unrolled:
        into = f", reducing into {', '.join(unrolled.reductions)}" if unrolled.reductions else ""
        job.say(f"{given.file}:{unrolled.line}: {unrolled.factor} iterations at once{into}")
        for line, reason in unrolled.serial:
            job.say(f"{given.file}:{line}: lanes run sequentially: {reason}")
    for refused in rewritten.not_rewritten:
        job.say(f"{refused}: this loop stays as it is")
    if given.host:
        host = Path(given.host)
        host.write_text((python_module if host.suffix == ".py" else c_header)(rewritten.merged, job.layouts))


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 86400:
        raise argparse.ArgumentTypeError(f"expected a number of seconds, got {text!r}")
    return value


def _columns(text: str) -> int:
    if not text.isdigit() or not 2 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"expected 2 to 1024 columns, got {text!r}")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="weft vectorize",
        description="Rewrites the kernels of a program with vector types. The result is OpenCL C for any "
        "device; unchanged code keeps its text.",
        epilog="examples: weft vectorize kernel.cl --inter 4 -o kernel-v4.cl --host launch.py; "
        "weft vectorize kernel.cl --auto --platform pocl -o kernel-v.cl; "
        "weft vectorize kernel.cl --measure --global 1024,1024 --arg n=1024 -o kernel-v.cl",
    )
    parser.add_argument("file", nargs="?", help="OpenCL C or SPIR-V file; - reads standard input")
    parser.add_argument(
        "--inter",
        type=int,
        choices=FACTORS,
        default=0,
        metavar="VF",
        help="merge VF adjacent work-items along x into one (2, 4, 8 or 16)",
    )
    parser.add_argument(
        "--intra",
        type=int,
        choices=FACTORS,
        default=0,
        metavar="VF",
        help="run VF iterations of innermost loops at once (2, 4, 8 or 16)",
    )
    parser.add_argument(
        "--auto",
        action="store_true",
        help="choose for each kernel by its access patterns and the device table, and print the reason",
    )
    parser.add_argument(
        "--platform",
        default=_WEFT,
        metavar="NAME",
        help="the platform that will run the kernel: weft (the default), pocl, intel or part of the name "
        "it reports; with --measure also the path of a driver's library",
    )
    parser.add_argument(
        "--measure",
        action="store_true",
        help="run all candidates on the platform and take the fastest correct one; the kernel stays as it is "
        "if none wins by more than 3 %%",
    )
    parser.add_argument(
        "--global", dest="global_size", type=read_sizes, metavar="X,Y,Z", help="the global size for --measure"
    )
    parser.add_argument("--local", type=read_sizes, metavar="X,Y,Z", help="the local size for --measure")
    parser.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an argument for --measure: n=1024, or a buffer, a=[TYPE:]COUNT[:FILL], where COUNT may be n*n "
        "and FILL is random (the default), index, a number or LOW..HIGH",
    )
    parser.add_argument(
        "--time-limit",
        type=_seconds,
        default=60.0,
        metavar="SECONDS",
        help="time limit of a candidate per step of --measure (60)",
    )
    parser.add_argument(
        "--layout",
        action="store_true",
        help="transpose buffers that work-items access by columns; with --auto, only if the table favours it",
    )
    parser.add_argument(
        "--buffer", action="append", default=[], metavar="NAME", help="a buffer for --layout; may be repeated"
    )
    parser.add_argument(
        "--blocks",
        type=_columns,
        default=0,
        metavar="W",
        help="with --layout: blocks of W columns, each stored by rows, instead of transposing",
    )
    parser.add_argument(
        "--inter-first", action="store_true", help="with --inter and --intra: merge work-items first"
    )
    parser.add_argument(
        "--fast-math", action="store_true", help="allow reassociation of float sums and products"
    )
    parser.add_argument(
        "--exact",
        action="store_true",
        help="assume that the global size along x is a multiple of VF, and omit the guard for the last block",
    )
    parser.add_argument("--kernel", action="append", default=[], help="only this kernel; may be repeated")
    parser.add_argument("--options", default="", help="build options of clBuildProgram")
    parser.add_argument("-o", "--output", metavar="FILE", help="output file; default: standard output")
    parser.add_argument("--in-place", action="store_true", help="overwrite the program")
    parser.add_argument(
        "--host",
        metavar="FILE",
        help="write host code that launches the kernels: Python if FILE ends in .py, else a C header",
    )
    return parser
