"""What divergent loops counted: read from records, put together, shown by `weft profile`."""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from weft import abi
from weft.cli.profile import text_of
from weft.profile import KernelProfile, LoopProfile, Trial, load, merge, parse_record, read

PROGRAM = """
import sys
import numpy as np, pyopencl as cl
platform = next(p for p in cl.get_platforms() if p.name == "Weft")
context = cl.Context(platform.get_devices()[:1])
queue = cl.CommandQueue(context)
text = '''
__kernel void halve(__global const int *x, __global int *steps) {
    int i = get_global_id(0), n = 0;
    for (int v = x[i]; v > 0; v /= 2)
        n++;
    steps[i] = n;
}
'''
program = cl.Program(context, text).build()
values = np.arange(256, dtype=np.int32)
source = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
target = cl.Buffer(context, cl.mem_flags.READ_WRITE, values.nbytes)
program.halve(queue, (256,), (64,), source, target)
cl.enqueue_copy(queue, values, target)
assert values[:4].tolist() == [0, 1, 2, 2], values
sys.exit(int(sys.argv[1]))
"""
# A work-item looks once more than it halves its number.
ITERATIONS = sum(v.bit_length() + 1 for v in range(256))


def make_record(strategy: int, counts: dict[str, int], times: list[tuple[int, int, int]]) -> bytes:
    record = bytearray(abi.LOOP_RECORD_SIZE)
    struct.pack_into("<Q", record, abi.LOOP_STRATEGY, strategy)
    for mode, count in counts.items():
        struct.pack_into("<Q", record, abi.LOOP_COUNTS[mode], count)
    for number, time in enumerate(times):
        struct.pack_into("<QQQ", record, abi.LOOP_TIMES + number * abi.LOOP_TIMES_SIZE, *time)
    return bytes(record)


def test_a_record_of_counts() -> None:
    counts = {"full": 1, "sub-group": 2, "masked": 3, "serial": 4, "lanes": 6}
    found = parse_record(make_record(0, counts, []), "for.cond", (), 7)
    assert found.iterations == {"full": 1, "sub-group": 2, "masked": 3, "serial": 4}
    assert (found.total, found.used_lanes, found.line, found.chosen) == (10, 0.5, 7, "")


def test_a_record_of_several_strategies() -> None:
    strategies = ("masked", "serial")
    found = parse_record(make_record(2, {}, [(6, 64, 6400), (6, 64, 640)]), "region.0.x", strategies, 0)
    assert found.trials == (Trial("masked", 6, 64, 6400), Trial("serial", 6, 64, 640))
    assert [trial.cycles_per_item for trial in found.trials] == [100, 10]
    assert found.chosen == "serial"
    assert parse_record(make_record(0, {}, []), "region.0.x", strategies, 0).chosen == ""
    assert Trial("masked", 1, 0, 0).cycles_per_item is None


def test_records_are_contiguous() -> None:
    records = make_record(0, {"full": 5}, []) + make_record(0, {"serial": 6}, [])
    found = read("k", records, [("a", (), 1), ("b", (), 2)])
    assert [loop.total for loop in found.loops] == [5, 6]


def test_loops_that_were_compiled_twice_are_one() -> None:
    iterations = {"full": 0, "sub-group": 0, "masked": 8, "serial": 2}
    first = LoopProfile("a", 3, iterations, 16, (Trial("masked", 1, 2, 3),), "masked")
    second = LoopProfile("a", 3, iterations, 16, (Trial("masked", 1, 2, 3),), "serial")
    (other, merged) = merge([first, second, LoopProfile("b", 1, iterations, 0)])
    assert other.name == "b", "in the order of the source"
    assert (merged.total, merged.lanes, merged.trials, merged.chosen) == (
        20,
        32,
        (Trial("masked", 2, 4, 6),),
        "masked, serial",
    )


def test_the_table() -> None:
    iterations = {"full": 50, "sub-group": 25, "masked": 25, "serial": 0}
    loop = LoopProfile("for.cond", 12, iterations, 50)
    trials = (Trial("masked", 7, 100, 1234), Trial("serial", 0, 0, 0))
    choice = LoopProfile("region.0.x", 0, dict.fromkeys(iterations, 0), 0, trials, "masked")
    lines = text_of([KernelProfile("k", (choice, loop))]).splitlines()
    assert lines[0] == "kernel k"
    assert " ".join(lines[2].split()) == "12 for.cond 100 50 % 25 % 25 % 0 % 50 %"
    assert lines[3] == "  region.0.x: selected masked; cycles per work-item: masked 12, serial not measured"
    assert text_of([]) == "no kernel has a divergent loop"


def profile(*arguments: str, strategy: str = "auto") -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYOPENCL_NO_CACHE": "1", "WEFT_DIVERGENT": strategy}
    return subprocess.run(
        [sys.executable, "-m", "weft.cli", "profile", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize(("strategy", "mode"), [("serial", "serial"), ("masked", "masked")])
def test_a_program_is_profiled(strategy: str, mode: str, tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    result = profile("--json", str(path), sys.executable, "-c", PROGRAM, "3", strategy=strategy)
    assert result.returncode == 3, f"the program's own status: {result.stderr}"
    assert "kernel halve" in result.stdout
    (kernel,) = json.loads(path.read_text())
    (loop,) = kernel["loops"]
    assert loop["iterations"] == {
        **dict.fromkeys(("full", "sub-group", "masked", "serial"), 0),
        mode: ITERATIONS,
    }
    assert loop["line"] == 4


def test_a_program_without_such_loops(tmp_path: Path) -> None:
    result = profile(sys.executable, "-c", "print('nothing')")
    assert result.stdout == "nothing\nno kernel has a divergent loop\n"


def test_two_dashes_may_stand_before_the_program() -> None:
    assert profile("--", sys.executable, "-c", "print('nothing')").stdout.startswith("nothing\n")


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    variables = {"WEFT_PROFILE_FILE": str(tmp_path / "no" / "file"), "PYOPENCL_NO_CACHE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", "from weft import profile; profile._watched()"],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == f"weft: cannot write {tmp_path}/no/file: No such file or directory\n"


def test_what_cannot_be_profiled() -> None:
    assert "no program given" in profile().stderr
    assert "no program given" in profile("--").stderr
    result = profile("/nowhere/program")
    assert (result.returncode, result.stderr) == (
        1,
        "weft profile: /nowhere/program: No such file or directory\n",
    )


def test_several_processes_write_to_one_file(tmp_path: Path) -> None:
    kernel = {"kernel": "k", "loops": []}
    path = tmp_path / "profile"
    path.write_text(f"{json.dumps(kernel)}\n{json.dumps(kernel | {'kernel': 'l'})}\n{json.dumps(kernel)}\n")
    assert [found.kernel for found in load(path)] == ["k", "l"]
