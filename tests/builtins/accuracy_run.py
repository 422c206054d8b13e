"""Measures how accurate the mathematical functions are and writes docs/accuracy.md.

    python tests/builtins/accuracy_run.py                every float: hours on two cores
    python tests/builtins/accuracy_run.py --stride 251   every 251st one; odd numbers try all low bits

Functions of one float are swept by kernels: a kernel compares the function of a float with that of the same
number as a double, whose error is a billionth of what is measured, and keeps the worst. Functions of doubles
and of two arguments are compared with mpmath at arguments that are chosen to be hard. What is done is kept in
build/accuracy.json, so a run that was ended goes on where it was.
"""

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyopencl as cl
from builtin_functions import EXACT, ONE_ARGUMENT, TWO_ARGUMENTS, exact_values, pairs
from builtin_harness import Case, compile_cases
from builtin_ulp import arguments, errors

ROOT = Path(__file__).parents[2]
STATE = ROOT / "build" / "accuracy.json"
PAGE = ROOT / "docs" / "accuracy.md"
CHUNK = 2**26
ITEMS = 2**14

# Errors are in units in the last place of the exact result, as the specification has them. An infinite result
# is right where the exact one is so large that it rounds to that; subnormal numbers have the smallest unit.
SWEEP = """
double error_in_ulp(float result, double exact) {
    if (isnan(exact)) return isnan(result) ? 0.0 : INFINITY;
    if (fabs(exact) >= 0x1.ffffffp127)
        return isinf(result) && signbit(result) == signbit((float)exact) ? 0.0 : INFINITY;
    int exponent = max(exact == 0.0 ? -126 : ilogb(exact), -126);
    double error = ldexp(fabs((double)result - exact), 23 - exponent);
    return isnan(error) ? INFINITY : error;
}

kernel void sweep(ulong first, ulong end, uint stride, global double *worst, global uint *where) {
    size_t item = get_global_id(0);
    double most = worst[item];
    uint at = where[item];
    for (ulong index = first + item; index < end; index += get_global_size(0)) {
        uint bits = (uint)(index * stride);
        float x = as_float(bits);
        double error = error_in_ulp(FUNCTION(x), FUNCTION((double)x));
        at = error > most ? bits : at;
        most = error > most ? error : most;
    }
    worst[item] = most;
    where[item] = at;
}
"""


@dataclass
class Sweep:
    """How far the sweep of a function is, and the worst error so far and the bits of its argument."""

    stride: int
    done: int = 0
    worst: float = 0.0
    where: int = 0


@dataclass
class Sample:
    """The worst error at chosen arguments."""

    count: int
    worst: float


class State:
    """What has been measured, on disk."""

    def __init__(self, path: Path, fresh: bool) -> None:
        self._path = path
        stored = json.loads(path.read_text()) if path.exists() and not fresh else {}
        self.sweeps = {name: Sweep(**values) for name, values in stored.get("sweeps", {}).items()}
        self.samples = {name: Sample(**values) for name, values in stored.get("samples", {}).items()}

    def save(self) -> None:
        """Writes everything, so that a later run need not do it again."""
        self._path.parent.mkdir(exist_ok=True)
        kinds = {"sweeps": self.sweeps, "samples": self.samples}
        text = json.dumps({k: {n: asdict(v) for n, v in kind.items()} for k, kind in kinds.items()}, indent=1)
        temporary = self._path.with_suffix(".tmp")
        temporary.write_text(text)
        temporary.replace(self._path)


class Progress:
    """A bar on a terminal, elsewhere a line for each function."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._label = ""
        self._start = time.monotonic()

    def show(self, label: str, steps: int) -> None:
        """So many more steps are done, or a function begins."""
        self._done += steps
        if sys.stderr.isatty():
            share = self._done / self._total
            elapsed = time.monotonic() - self._start
            left = round(elapsed / share - elapsed) if share else 0
            bar = "━" * int(30 * share)
            text = f"{bar:<30} {share:4.0%} {left // 60}:{left % 60:02} left  {label}"
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
        elif label != self._label:
            print(label, file=sys.stderr, flush=True)
        self._label = label


class Sweeper:
    """Runs the sweeps on Weft."""

    def __init__(self) -> None:
        platforms = [p for p in cl.get_platforms() if "weft" in p.name.lower()]
        self._context = cl.Context([platforms[0].get_devices()[0]])
        self._queue = cl.CommandQueue(self._context)

    def run(self, name: str, sweep: Sweep, state: State, progress: Progress) -> None:
        """Goes on with a sweep to its end, a chunk at a time."""
        total = -(-(2**32) // sweep.stride)
        if sweep.done >= total:
            return
        program = cl.Program(self._context, SWEEP).build(f"-DFUNCTION={name}")
        kernel = cl.Kernel(program, "sweep")
        worst, where = np.full(ITEMS, sweep.worst), np.full(ITEMS, sweep.where, np.uint32)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        buffers = [cl.Buffer(self._context, flags, hostbuf=array) for array in (worst, where)]
        while sweep.done < total:
            end = min(sweep.done + CHUNK, total)
            kernel(
                self._queue,
                (ITEMS,),
                (64,),
                np.uint64(sweep.done),
                np.uint64(end),
                np.uint32(sweep.stride),
                *buffers,
            )
            for array, buffer in zip((worst, where), buffers, strict=True):
                cl.enqueue_copy(self._queue, array, buffer)
            index = int(worst.argmax())
            progress.show(name, end - sweep.done)
            sweep.done, sweep.worst, sweep.where = end, float(worst[index]), int(where[index])
            state.save()


def sample(name: str, element: str, count: int) -> Sample:
    """The worst error of a function at `count` hard arguments of each kind."""
    if name in TWO_ARGUMENTS:
        function, values = TWO_ARGUMENTS[name][1], pairs(name, element, count)
    else:
        _, kind, function = ONE_ARGUMENT[name]
        values = [arguments(kind, element, count, 1)]
    width = 16 if element == "float" else 8
    values = [array[: len(array) // width * width] for array in values]
    case = Case(f"{name}({', '.join('ab'[: len(values)])})", element, (element,) * len(values), width)
    results = compile_cases([case], level=2)(case, *values)
    return Sample(len(results), float(errors(results, exact_values(name, function, values)).max()))


def measure(state: State, stride: int, count: int) -> None:
    """Whatever is not in the state yet."""
    one = [*ONE_ARGUMENT, *EXACT]
    for name in one:
        known = state.sweeps.get(name)
        if known is None or known.stride > stride:
            state.sweeps[name] = Sweep(stride)
    sampled = [(name, "double") for name in ONE_ARGUMENT]
    sampled += [(name, element) for name in TWO_ARGUMENTS for element in ("float", "double")]
    missing = [(n, e) for n, e in sampled if getattr(state.samples.get(f"{n} {e}"), "count", 0) < count]
    left = sum(-(-(2**32) // s.stride) - s.done for s in state.sweeps.values())
    progress = Progress(left + 2**24 * len(missing) or 1)
    sweeper = Sweeper()
    for name in one:
        progress.show(name, 0)
        sweeper.run(name, state.sweeps[name], state, progress)
    for name, element in missing:
        progress.show(f"{name} {element}", 0)
        state.samples[f"{name} {element}"] = sample(name, element, count)
        progress.show(f"{name} {element}", 2**24)
        state.save()
    if sys.stderr.isatty():
        print(file=sys.stderr)


def page(state: State) -> str:
    """The text of docs/accuracy.md."""
    strides = sorted({sweep.stride for sweep in state.sweeps.values()})
    counts = [found.count for found in state.samples.values()]
    which = "every float" if strides == [1] else f"one float in {strides[-1]}"
    lines = [
        "# Accuracy of the mathematical functions",
        "",
        "Largest errors in units in the last place, beside the limits of the OpenCL specification (full",
        f"profile). Functions of one `float` are tried at {which}, against the same function",
        f"of `double`; the others at {min(counts)} or more arguments that are chosen to be hard, against",
        "mpmath. The functions of vectors are those of scalars on each lane, from one source for all widths;",
        "the tests hold widths 1, 3, 4 and 16, with and without fused multiply-add, to the limits.",
        "",
        "`make accuracy` writes this page. For every float it takes hours; `make accuracy",
        "ARGS='--stride 251'` takes minutes. Either goes on where it was ended.",
        "",
        "| function | limit | float | worst at | double |",
        "|---|---:|---:|---|---:|",
    ]
    for name, (limit, _, _) in ONE_ARGUMENT.items():
        sweep, double = state.sweeps[name], state.samples[f"{name} double"]
        lines.append(_row(name, limit, sweep.worst, _argument(sweep), double.worst))
    for name in EXACT:
        lines.append(_row(name, 0, state.sweeps[name].worst, "", None))
    for name, (limit, _) in TWO_ARGUMENTS.items():
        found = [state.samples[f"{name} {element}"].worst for element in ("float", "double")]
        lines.append(_row(name, limit, found[0], "", found[1]))
    return "\n".join(lines) + "\n"


def _row(name: str, limit: float, single: float, where: str, double: float | None) -> str:
    spelled = {0: "exact", 0.5: "correctly rounded"}.get(limit, f"{limit:g}")
    wide = "" if double is None else f"{double:.2f}"
    return f"| `{name}` | {spelled} | {single:.2f} | {where} | {wide} |"


def _argument(sweep: Sweep) -> str:
    value = np.array([sweep.where], np.uint32).view(np.float32)[0]
    return f"{float(value):.9g}"


def main() -> int:
    """Measures, writes the page; 1 if a function is beyond its limit."""
    parser = argparse.ArgumentParser(description="Measures accuracy and writes docs/accuracy.md.")
    parser.add_argument("--stride", type=int, default=1, help="try one float in so many (1: all)")
    parser.add_argument("--count", type=int, default=3000, help="arguments of each kind for the others")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs have measured")
    given = parser.parse_args()
    state = State(STATE, given.fresh)
    measure(state, given.stride, given.count)
    PAGE.write_text(page(state))
    limits = {name: row[0] for name, row in (ONE_ARGUMENT | TWO_ARGUMENTS).items()}
    found = [(n, s.worst) for n, s in state.sweeps.items()] + [
        (n.split()[0], s.worst) for n, s in state.samples.items()
    ]
    beyond = [f"{name}: {worst:.2f}" for name, worst in found if worst > limits.get(name, 0)]
    print("\n".join(["beyond the limit:", *beyond]) if beyond else f"all within the limits; see {PAGE}")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
