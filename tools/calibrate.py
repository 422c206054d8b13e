"""Measure the instruction costs of this processor and write them into its cost table: `make calibrate`.

Each row is a small loop in LLVM IR with several independent chains, compiled by the LLVM that compiles
kernels, and timed. Costs are in units of an addition on one vector register, the unit of the cost model
(`weft/transform/cost_model/estimate.py`).

The table of the processor (`weft/target/costs/<LLVM's name>.json`) keeps its values, which determine the code
of kernels; measured costs are added as `calibrated`. A new processor starts with the values of the table that
its description names. `--adopt ROW` replaces the value by the measured cost: compare `make bench` before and
after.
"""

import argparse
import ctypes
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from weft.codegen.host import host_target
from weft.codegen.jit import load
from weft.codegen.optimise import emit_object
from weft.target import Costs, Target
from weft.target.cost_table import FOLDER

_CHAINS = 8
_ITERATIONS = 20_000
_REPEATS = 30
_TABLE_BYTES = 1 << 14  # fits into the first-level cache
_LARGE_BYTES = 1 << 27  # fits into no cache
_ROW_BYTES = 4160  # distance of lanes in large memory: rows that do not share cache sets

_LOOP = """
target datalayout = "{layout}"
target triple = "{triple}"
{more}
define void @loop(ptr noalias %data, ptr noalias %other, i64 %n) {{
entry:
  %mask.words = load {integers}, ptr %other, align 64
  %mask = icmp sge {integers} %mask.words, zeroinitializer
  %c = load {floats}, ptr %data, align 64
  %k = load {integers}, ptr %other, align 64
{start}
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %i.next, %{last} ]
{phis}
{steps}
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %body, label %done, !llvm.loop !0
done:
{stores}
  ret void
}}
; Steps of two iterations could be made one.
!0 = distinct !{{!0, !1}}
!1 = !{{!"llvm.loop.unroll.disable"}}
"""


@dataclass(frozen=True)
class Step:
    """The work of a chain in one iteration, as IR in which `{x}` is the chain's value and `{y}` the new
    value.

    `{t}` is a prefix for names of other values, `{o}` is the offset of the chain in bytes. `integers`: the
    value is a vector of integers. `last`: the last block of the iteration, if the step contains blocks.
    """

    text: str
    integers: bool = False
    more: str = ""
    last: str = ""


class Bench:
    """Compiles and times loops for one target."""

    def __init__(self, target: Target) -> None:
        self.target, self.lanes = target, target.lanes(32)
        self.floats, self.ints = f"<{self.lanes} x float>", f"<{self.lanes} x i32>"
        size = _TABLE_BYTES // 4
        self._numbers = [1.0 + i / size for i in range(2 * size)]
        self._indices = [i * 37 % size for i in range(2 * size)]

    def step(self, text: str, *, integers: bool = False, more: str = "", last: str = "") -> Step:
        """Create a step; words in capitals in its text stand for types and suffixes of intrinsics."""
        words = {
            "ALL_LANES": "<LANES x i1> splat (i1 true)",
            "NARROW": "<LANES x i8>",
            "FLOATS": self.floats,
            "INTS": self.ints,
            "LANES": str(self.lanes),
        }
        for word, meaning in words.items():
            text, more = text.replace(word, meaning), more.replace(word, meaning)
        return Step(text, integers, more, last)

    def seconds(self, step: Step, chains: int = _CHAINS) -> float:
        """Return the time of one step."""
        code = load(emit_object([self._module(step, chains)], self.target, 2, ["loop"]), "loop")
        run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)(code.address)
        # Steps modify their data, so each measurement starts with a copy.
        numbers = (ctypes.c_float * len(self._numbers))(*self._numbers)
        indices = (ctypes.c_int32 * len(self._indices))(*self._indices)
        data, other = _aligned(numbers), _aligned(indices)
        run(data, other, _ITERATIONS)
        return _best(lambda: run(data, other, _ITERATIONS)) / (_ITERATIONS * chains)

    def _module(self, step: Step, chains: int) -> str:
        kind = self.ints if step.integers else self.floats
        lines: dict[str, list[str]] = {"start": [], "phis": [], "steps": [], "stores": []}
        for n in range(chains):
            place = f"  %p{n} = getelementptr i8, ptr %{'other' if step.integers else 'data'}, i64 {n * 256}"
            lines["start"] += [place, f"  %x{n}.0 = load {kind}, ptr %p{n}, align 64"]
            block = step.last.format(n=chains - 1) or "body"
            lines["phis"].append(f"  %x{n} = phi {kind} [ %x{n}.0, %entry ], [ %y{n}, %{block} ]")
            lines["steps"].append(step.text.format(x=f"%x{n}", y=f"%y{n}", t=f"%t{n}", o=n * 256, n=n))
            lines["stores"].append(f"  store {kind} %y{n}, ptr %p{n}, align 64")
        return _LOOP.format(
            layout=self.target.data_layout,
            triple=self.target.triple,
            floats=self.floats,
            integers=self.ints,
            more=step.more,
            last=step.last.format(n=chains - 1) or "body",
            **{name: "\n".join(text) for name, text in lines.items()},
        )


def _best(run: Callable[[], None]) -> float:
    """Return the minimum of several runs: interference only adds time."""
    times = []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def _aligned(array: "ctypes.Array[ctypes.c_float] | ctypes.Array[ctypes.c_int32]") -> int:
    return ctypes.addressof(array) + -ctypes.addressof(array) % 64


def measure(target: Target) -> dict[str, float]:
    """Return the costs of instructions in additions, by row."""
    bench = Bench(target)
    lanes, step, seconds = bench.lanes, bench.step, bench.seconds
    add = seconds(step("  {y} = fadd FLOATS {x}, %c"))
    index = """
  {t}.i = add INTS {x}, %k
  {y} = and INTS {t}.i, splat (i32 4095)
"""
    move = seconds(step(index, integers=True))
    selection = """
  {t}.c = icmp slt INTS {x}, %k
  {t}.a = xor INTS {x}, %k
  {t}.b = add INTS {x}, %k
  {y} = select <LANES x i1> {t}.c, INTS {t}.a, INTS {t}.b
"""

    def cost(time: float, without: float = 0.0, share: int = 1) -> float:
        return max(time - without, 0.0) / add / share

    memory = _memory_steps(bench, index)
    consecutive = seconds(memory["load"])
    costs = {
        "division": cost(seconds(step("  {y} = fdiv FLOATS {x}, %c"))),
        "conversions": cost(
            seconds(step("  {t} = fptosi FLOATS {x} to INTS\n  {y} = sitofp INTS {t} to FLOATS"))
        ),
        "selection": cost(seconds(step(selection, integers=True)), 2 * add),
        "shuffle": cost(
            seconds(step(f"  {{y}} = shufflevector FLOATS {{x}}, FLOATS %c, {_interleaved(lanes)}"))
        ),
        "masked_access": cost(seconds(memory["masked load"])) / max(cost(consecutive), 1e-9),
        "gather": cost(seconds(memory["gather"]), move, lanes),
        "scatter": cost(seconds(memory["scatter"]), move, lanes),
        "call": cost(seconds(_call(bench))),
        "mask": cost(seconds(_mask(bench), 4), add),
        "lane_turn": cost(seconds(_turns(bench), 1), 0.0, lanes),
        "first_touch": _first_touch(bench) / add,
    }
    costs["narrow_access"] = max(cost(seconds(memory["narrow gather"]), move, lanes) - costs["gather"], 0.0)
    return costs


def _interleaved(lanes: int) -> str:
    order = ", ".join(f"i32 {n // 2 + lanes * (n % 2)}" for n in range(lanes))
    return f"<{lanes} x i32> <{order}>"


_DECLARED = """
declare FLOATS @llvm.masked.load(ptr, <LANES x i1>, FLOATS)
declare FLOATS @llvm.masked.gather(<LANES x ptr>, <LANES x i1>, FLOATS)
declare <LANES x i8> @llvm.masked.gather.vLANESi8(<LANES x ptr>, <LANES x i1>, <LANES x i8>)
declare void @llvm.masked.scatter(INTS, <LANES x ptr>, <LANES x i1>)
"""
_PLACE = """
  {t}.a = and i64 %i, 31
  {t}.b = shl i64 {t}.a, 8
  {t}.p = getelementptr i8, ptr %data, i64 {t}.b
"""
_LOAD = """
  {t}.v = load FLOATS, ptr {t}.p, align 64
  {y} = fadd FLOATS {x}, {t}.v
"""
_MASKED_LOAD = """
  {t}.v = call FLOATS @llvm.masked.load(ptr align 64 {t}.p, <LANES x i1> %mask, FLOATS %c)
  {y} = fadd FLOATS {x}, {t}.v
"""
_GATHER = """
  {t}.p = getelementptr float, ptr %data, INTS {x}
  {t}.g = call FLOATS @llvm.masked.gather(<LANES x ptr> {t}.p, ALL_LANES, FLOATS zeroinitializer)
  {t}.u = bitcast FLOATS {t}.g to INTS
  {t}.w = lshr INTS {t}.u, splat (i32 31)
"""
_NARROW_GATHER = """
  {t}.p = getelementptr i8, ptr %data, INTS {x}
  {t}.g = call <LANES x i8> @llvm.masked.gather.vLANESi8(<LANES x ptr> {t}.p, ALL_LANES, NARROW poison)
  {t}.w = zext <LANES x i8> {t}.g to INTS
"""
# The next index depends on the gathered values.
_NEXT = """
  {t}.i = add INTS {x}, {t}.w
  {t}.j = add INTS {t}.i, %k
  {y} = and INTS {t}.j, splat (i32 4095)
"""
_SCATTER = """
  {t}.p = getelementptr float, ptr %data, INTS {x}
  call void @llvm.masked.scatter(INTS {x}, <LANES x ptr> {t}.p, ALL_LANES)
"""


def _memory_steps(bench: Bench, index: str) -> dict[str, Step]:
    """Return accesses to a table in the first-level cache."""
    texts = {
        "load": _PLACE + _LOAD,
        "masked load": _PLACE + _MASKED_LOAD,
        "gather": _GATHER + _NEXT,
        "narrow gather": _NARROW_GATHER + _NEXT,
        "scatter": _SCATTER + index,
    }
    return {
        name: bench.step(text, integers="load" not in name, more=_DECLARED) for name, text in texts.items()
    }


def _call(bench: Bench) -> Step:
    """Return a call of a trivial function, including saving the values that are live across it."""
    more = """
define internal FLOATS @callee(FLOATS %x, FLOATS %c) noinline {
  %y = fadd FLOATS %x, %c
  ret FLOATS %y
}
"""
    return bench.step("  {y} = call FLOATS @callee(FLOATS {x}, FLOATS %c)", more=more)


def _mask(bench: Bench) -> Step:
    """Return a comparison of all lanes, and a branch on whether it is true for any."""
    text = """
  {t}.m = fcmp ogt FLOATS {x}, splat (float 0x47EFFFFFE0000000)
  {t}.b = bitcast <LANES x i1> {t}.m to iLANES
  {t}.any = icmp ne iLANES {t}.b, 0
  br i1 {t}.any, label %some{n}, label %on{n}
some{n}:
  store FLOATS {x}, ptr %other, align 64
  br label %on{n}
on{n}:
  {y} = fadd FLOATS {x}, %c
"""
    return bench.step(text, last="on{n}")


def _turns(bench: Bench) -> Step:
    """Return a loop over the lanes with operands and results in memory."""
    text = """
  store FLOATS {x}, ptr %other, align 64
  br label %turn{n}
turn{n}:
  {t}.l = phi i64 [ 0, %body ], [ {t}.next, %turn{n} ]
  {t}.p = getelementptr float, ptr %other, i64 {t}.l
  {t}.v = load volatile float, ptr {t}.p, align 4
  {t}.w = fadd float {t}.v, 1.0
  store volatile float {t}.w, ptr {t}.p, align 4
  {t}.next = add i64 {t}.l, 1
  {t}.more = icmp ult i64 {t}.next, LANES
  br i1 {t}.more, label %turn{n}, label %end{n}, !llvm.loop !2
end{n}:
  {y} = load FLOATS, ptr %other, align 64
"""
    return bench.step(text, more="!2 = distinct !{!2, !1}", last="end{n}")


_TOUCH = """
target datalayout = "{layout}"
target triple = "{triple}"
declare {floats} @llvm.masked.gather(<{lanes} x ptr>, <{lanes} x i1>, {floats})
define float @gathered(ptr %data, i64 %n) {{
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi {floats} [ zeroinitializer, %entry ], [ %new, %body ]
  %p = getelementptr float, ptr %data, i64 %i
  %ps = getelementptr i8, ptr %p, <{lanes} x i64> {offsets}
  %all = icmp eq <{lanes} x ptr> %ps, %ps
  %v = call {floats} @llvm.masked.gather(<{lanes} x ptr> %ps, <{lanes} x i1> %all, {floats} poison)
  %new = fadd {floats} %sum, %v
  %next = add i64 %i, 16
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %done
done:
  %r = extractelement {floats} %new, i32 0
  ret float %r
}}
define float @scalar(ptr %data, i64 %n) {{
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %new, %body ]
  %p = getelementptr float, ptr %data, i64 %i
  %v = load float, ptr %p, align 4
  %new = fadd float %sum, %v
  %next = add i64 %i, 16
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %done
done:
  ret float %new
}}
"""


def _first_touch(bench: Bench) -> float:
    """Return the additional seconds of a lane of a gather over a scalar load, both with cold cache lines.

    The lanes' rows are far apart; scalar loads step through memory, which processors prefetch.
    """
    offsets = ", ".join(f"i64 {n * _ROW_BYTES}" for n in range(bench.lanes))
    text = _TOUCH.format(
        layout=bench.target.data_layout,
        triple=bench.target.triple,
        floats=bench.floats,
        lanes=bench.lanes,
        offsets=f"<{offsets}>",
    )
    object_code = emit_object([text], bench.target, 2, ["gathered", "scalar"])
    memory = ctypes.create_string_buffer(_LARGE_BYTES + 64)
    start = ctypes.addressof(memory)
    ctypes.memset(start, 1, _LARGE_BYTES)  # memory that was never written is mapped to one page
    times = {}
    for name in ("gathered", "scalar"):
        code = load(object_code, name)
        run = ctypes.CFUNCTYPE(ctypes.c_float, ctypes.c_void_p, ctypes.c_uint64)(code.address)
        reach = bench.lanes * _ROW_BYTES if name == "gathered" else _LARGE_BYTES
        elements = (_ROW_BYTES if name == "gathered" else reach) // 4
        blocks = _LARGE_BYTES // reach

        def sweep(
            run: Callable[[int, int], float] = run,
            blocks: int = blocks,
            reach: int = reach,
            n: int = elements,
        ) -> None:
            for block in range(blocks):
                run(start + block * reach, n)

        times[name] = _best(sweep) / (_LARGE_BYTES // 64)
    return max(times["gathered"] - times["scalar"], 0.0)


def write(target: Target, measured: dict[str, float], adopted: Sequence[str]) -> str:
    """Write measured costs into the processor's table; return the path of the file."""
    path = FOLDER / f"{target.cpu}.json"
    known = path if path.exists() else FOLDER / f"{target.costs.processor}.json"
    table = json.loads(known.read_text())
    if known != path:
        for row in table["rows"].values():
            row["source"] = f"as for {table['processor']}: {row['source']}"
            row.pop("calibrated", None)
        table["processor"], table["name"] = target.cpu, _processor_name()
    for name, value in measured.items():
        table["rows"][name]["calibrated"] = round(value, 2)
        if name in adopted:
            table["rows"][name] |= {"value": round(value, 2), "source": "measured by make calibrate"}
    path.write_text(json.dumps(table, indent=1) + "\n")
    return str(path)


def _processor_name() -> str:
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        rows = (row.partition(":") for row in file)
        return next((value.strip() for key, _, value in rows if key.strip() == "model name"), "unknown")


def main(arguments: Sequence[str]) -> int:
    """Measure, print and write the table."""
    parser = argparse.ArgumentParser(prog="make calibrate", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--dry-run", action="store_true", help="only print")
    parser.add_argument(
        "--adopt", action="append", default=[], metavar="ROW", help="take a measured cost as the value"
    )
    options = parser.parse_args(arguments)
    target = host_target()
    measured = measure(target)
    values = {field.name: getattr(target.costs, field.name) for field in fields(Costs)}
    if unknown := set(options.adopt) - measured.keys():
        parser.error(f"these rows are not measured: {', '.join(sorted(unknown))}")
    print(f"{target.cpu}: costs in additions on a register of {target.register_bits} bits")
    print(f"{'row':16}{'in use':>8}{'measured':>10}")
    for name, value in measured.items():
        print(f"{name:16}{values[name]:>8.2f}{value:>10.2f}")
    if not options.dry_run:
        print(f"written to {write(target, measured, options.adopt)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
