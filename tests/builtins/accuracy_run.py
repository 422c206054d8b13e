"""Measures how accurate the mathematical functions are and writes docs/accuracy.md.

    python tests/builtins/accuracy_run.py                every float: half an hour of one core
    python tests/builtins/accuracy_run.py --stride 251   every 251st one; odd numbers try all low bits
    python tests/builtins/accuracy_run.py --jobs 16      16 processes, each with a part of all floats
    python tests/builtins/accuracy_run.py --functions sin,cos   some functions; the page stays as it is

Functions of one float are swept by kernels: a kernel compares the function of a float with that of the same
number as a double, whose error is a billionth of what is measured, and keeps the worst. Functions of doubles
and of two arguments are compared with mpmath at arguments that are chosen to be hard; functions of half are
tried at every half.

What is done is kept in build/accuracy.json, so a run that was ended goes on where it was, unless the function
has changed since. Each of several processes (`--shard`) has a file of its own, as
build/accuracy-3-of-16.json; they may come from other machines: `--jobs` does what is missing in them and puts
them together.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyopencl as cl
from builtin_functions import EXACT, ONE_ARGUMENT, TWO_ARGUMENTS, exact_values, pairs
from builtin_harness import Case, compile_cases
from builtin_ulp import arguments, errors, half_errors

from weft.builtins.catalogue import catalogue
from weft.builtins.generate import prelude
from weft.codegen.cache import digest
from weft.codegen.host import host_target

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


@dataclass(frozen=True)
class Shard:
    """Which part of the work a process does: the k-th of n."""

    number: int = 0
    of: int = 1

    @property
    def path(self) -> Path:
        """Where its results are kept."""
        return STATE if self.of == 1 else STATE.with_name(f"accuracy-{self.number}-of-{self.of}.json")

    def sweep(self, stride: int, version: str) -> "Sweep":
        """Its part of a sweep, not begun."""
        total = -(-(2**32) // stride)
        first, end = (total * k // self.of for k in (self.number, self.number + 1))
        return Sweep(stride, first, end, first, version=version)


@dataclass
class Sweep:
    """How far the sweep of a function is, and the worst error so far and the bits of its argument."""

    stride: int
    first: int
    end: int
    done: int
    worst: float = 0.0
    where: int = 0
    version: str = ""


@dataclass
class Sample:
    """The worst error at chosen arguments."""

    count: int
    worst: float
    version: str = ""


@cache
def version_of(name: str) -> str:
    """Changes when the function may give other results."""
    symbols = [
        f"_Z{len(name)}{name}{code * (2 if name in TWO_ARGUMENTS else 1)}" for code in ("f", "d", "Dh")
    ]
    found = [catalogue().find_symbol(symbol) for symbol in symbols]
    used = [i for definition in found if definition for i in catalogue().closure(definition[1])]
    texts = (catalogue().templates[instance.template].text for instance in used)
    return digest(prelude(), _processor(), *texts)


def _processor() -> str:
    return "with AVX-512" if host_target().register_tables else "without AVX-512"


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

    def __init__(self, total: float) -> None:
        self._total = total
        self._done = 0.0
        self._label = ""
        self._start = time.monotonic()

    def show(self, label: str, steps: float) -> None:
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
        if sweep.done >= sweep.end:
            return
        program = cl.Program(self._context, SWEEP).build(f"-DFUNCTION={name}")
        kernel = cl.Kernel(program, "sweep")
        worst, where = np.full(ITEMS, sweep.worst), np.full(ITEMS, sweep.where, np.uint32)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        buffers = [cl.Buffer(self._context, flags, hostbuf=array) for array in (worst, where)]
        while sweep.done < sweep.end:
            end = min(sweep.done + CHUNK, sweep.end)
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
    """The worst error of a function at `count` hard arguments of each kind, or at every half."""
    if element == "half":
        return _every_half(name)
    if name in TWO_ARGUMENTS:
        function, values = TWO_ARGUMENTS[name][1], pairs(name, element, count)
    else:
        _, kind, function = ONE_ARGUMENT[name]
        values = [arguments(kind, element, count, 1)]
    width = 16 if element == "float" else 8
    values = [array[: len(array) // width * width] for array in values]
    case = Case(f"{name}({', '.join('ab'[: len(values)])})", element, (element,) * len(values), width)
    results = compile_cases([case], level=2)(case, *values)
    worst = float(errors(results, exact_values(name, function, values)).max())
    return Sample(len(results), worst, version_of(name))


def _every_half(name: str) -> Sample:
    """The worst error of a function of half; of two arguments, each half comes once as either."""
    count = 2 if name in TWO_ARGUMENTS else 1
    cases = [
        Case(f"{name}({', '.join('ab'[:count])})", element, (element,) * count, 16)
        for element in ("half", "double")
    ]
    run = compile_cases(cases, level=2)
    every = np.arange(2**16, dtype=np.uint16).view(np.float16)
    values = [every, np.random.default_rng(6).permutation(every)][:count]
    found = half_errors(run(cases[0], *values), run(cases[1], *(v.astype(np.float64) for v in values)))
    return Sample(len(found), float(found.max()), version_of(name))


def sampled(names: list[str]) -> list[tuple[str, str]]:
    """The functions and types that are sampled rather than swept."""
    found = [(name, element) for name in ONE_ARGUMENT for element in ("double", "half")]
    found += [(name, element) for name in TWO_ARGUMENTS for element in ("float", "double", "half")]
    return [pair for pair in found if pair[0] in names]


def measure(state: State, names: list[str], stride: int, count: int, shard: Shard) -> None:
    """Whatever of a shard's part is not in the state yet."""
    one = [name for name in (*ONE_ARGUMENT, *EXACT) if name in names]
    for name in one:
        known = state.sweeps.get(name)
        if known is None or known.stride > stride or known.version != version_of(name):
            state.sweeps[name] = shard.sweep(stride, version_of(name))
    missing = []
    for name, element in sampled(names)[shard.number :: shard.of]:
        known_sample = state.samples.get(f"{name} {element}", Sample(0, 0.0))
        if known_sample.count < count or known_sample.version != version_of(name):
            missing.append((name, element))
    left = sum(state.sweeps[name].end - state.sweeps[name].done for name in one)
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


def run_shards(jobs: int, words: list[str]) -> None:
    """A process of one thread for each shard; shows how far they are together."""
    environment = {**os.environ, "WEFT_THREADS": "1"}
    shards = [Shard(number, jobs) for number in range(jobs)]
    processes = [
        subprocess.Popen(
            [sys.executable, __file__, "--shard", f"{shard.number}/{jobs}", *words],
            env=environment,
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        for shard in shards
    ]
    progress, shown = Progress(1), 0.0
    try:
        while any(process.poll() is None for process in processes):
            time.sleep(1)
            done = _share(shards)
            progress.show(f"{jobs} processes", done - shown)
            shown = done
    finally:
        for process in processes:
            process.terminate()
    failed = [shard for shard, process in zip(shards, processes, strict=True) if process.returncode]
    if failed:
        raise SystemExit(f"processes failed: {failed}")


def _share(shards: list[Shard]) -> float:
    """How much of the sweeps is done, of what the shards have begun."""
    sweeps = [sweep for shard in shards for sweep in State(shard.path, fresh=False).sweeps.values()]
    return sum(s.done - s.first for s in sweeps) / max(1, sum(s.end - s.first for s in sweeps))


def merge(into: State, parts: list[State]) -> None:
    """Puts the parts of all shards together; those of an older library are left out."""
    for name in (*ONE_ARGUMENT, *EXACT):
        found = [part.sweeps[name] for part in parts if name in part.sweeps]
        found = [sweep for sweep in found if sweep.done == sweep.end and sweep.version == version_of(name)]
        if len(found) == len(parts) and len({sweep.stride for sweep in found}) == 1:
            worst = max(found, key=lambda sweep: sweep.worst)
            end = max(sweep.end for sweep in found)
            into.sweeps[name] = Sweep(worst.stride, 0, end, end, worst.worst, worst.where, version_of(name))
    for part in parts:
        into.samples |= {
            name: found
            for name, found in part.samples.items()
            if found.version == version_of(name.split()[0])
        }
    into.save()


def page(state: State) -> str:
    """The text of docs/accuracy.md."""
    strides = sorted({sweep.stride for sweep in state.sweeps.values()})
    counts = [found.count for found in state.samples.values()]
    which = "every float" if strides == [1] else f"one float in {strides[-1]}"
    lines = [
        "# Accuracy of the mathematical functions",
        "",
        "The table lists the largest error of each function in units in the last place (ulp), and the "
        "limit of the",
        "OpenCL specification (full profile) for float and double.",
        "",
        f"- Functions of one `float` are tested at {which}, against the same function in `double`.",
        "- Functions of `half` are tested at every half, with a limit of 2 ulp or more (1 ulp for `rsqrt`).",
        f"- Other functions are tested at {min(counts)} or more difficult arguments, against mpmath.",
        "",
        "Vector functions apply the scalar algorithm per lane, from one source for all widths. The tests "
        "check",
        "widths 1, 3, 4 and 16 against the limits, in the variants without fused multiply-add, with it, "
        "and with",
        f"AVX-512. The table is from a processor {_processor()}.",
        "",
        "`make accuracy` writes this page. Testing every float takes half an hour on one core; `make "
        "accuracy",
        "ARGS='--jobs 16'` runs in parallel, and `--stride 251` tests fewer values. An interrupted run "
        "resumes.",
        "",
        "| function | limit | float | worst at | double | half |",
        "|---|---:|---:|---|---:|---:|",
    ]
    for name, (limit, _, _) in ONE_ARGUMENT.items():
        sweep, others = state.sweeps[name], [state.samples[f"{name} {e}"].worst for e in ("double", "half")]
        lines.append(_row(name, limit, sweep.worst, _argument(sweep), others))
    for name in EXACT:
        lines.append(_row(name, 0, state.sweeps[name].worst, "", []))
    for name, (limit, _) in TWO_ARGUMENTS.items():
        first, *others = (state.samples[f"{name} {e}"].worst for e in ("float", "double", "half"))
        lines.append(_row(name, limit, first, "", others))
    return "\n".join(lines) + "\n"


def _row(name: str, limit: float, single: float, where: str, others: list[float]) -> str:
    spelled = {0: "exact", 0.5: "correctly rounded"}.get(limit, f"{limit:g}")
    double, half = (f"{worst:.2f}" for worst in others) if others else ("", "")
    return f"| `{name}` | {spelled} | {single:.2f} | {where} | {double} | {half} |"


def _argument(sweep: Sweep) -> str:
    value = np.array([sweep.where], np.uint32).view(np.float32)[0]
    return f"{float(value):.9g}"


def main() -> int:
    """Measures, writes the page; 1 if a function is beyond its limit."""
    parser = argparse.ArgumentParser(description="Measures accuracy and writes docs/accuracy.md.")
    parser.add_argument("--stride", type=int, default=1, help="try one float in so many (1: all)")
    parser.add_argument("--count", type=int, default=3000, help="arguments of each kind for the others")
    parser.add_argument("--functions", default="", help="only these, as sin,cos; the page is not written")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the work")
    parser.add_argument("--shard", default="", help="only part k/n of the work, with results of its own")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs have measured")
    given = parser.parse_args()
    every = [*ONE_ARGUMENT, *EXACT, *TWO_ARGUMENTS]
    names = given.functions.split(",") if given.functions else every
    unknown = sorted(set(names) - set(every))
    if unknown:
        parser.error(f"no functions {', '.join(unknown)}; there are {', '.join(every)}")
    shard = Shard(*map(int, given.shard.split("/"))) if given.shard else Shard()
    state = State(shard.path, given.fresh)
    if given.jobs > 1:
        words = ["--stride", str(given.stride), "--count", str(given.count)]
        words += ["--functions", given.functions] if given.functions else []
        run_shards(given.jobs, [*words, *(["--fresh"] if given.fresh else [])])
        merge(state, [State(Shard(k, given.jobs).path, fresh=False) for k in range(given.jobs)])
    else:
        measure(state, names, given.stride, given.count, shard)
    if given.shard:
        return 0
    if names == every:
        PAGE.write_text(page(state))
    return report(state, names)


def report(state: State, names: list[str]) -> int:
    """Prints the worst errors; 1 if one is beyond its limit."""
    limits = {name: row[0] for name, row in (ONE_ARGUMENT | TWO_ARGUMENTS).items()}
    found = [(name, "float", sweep.worst) for name, sweep in state.sweeps.items()]
    found += [(*name.split(), taken.worst) for name, taken in state.samples.items()]
    found = [row for row in found if row[0] in names]
    for name, element, worst in found:
        print(f"{name} {element}: {worst:.2f}")
    beyond = [f"{n} {e}: {worst:.2f}" for n, e, worst in found if worst > limits.get(n, 0)]
    print("\n".join(["beyond the limit:", *beyond]) if beyond else "all within the limits")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
