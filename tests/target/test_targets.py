"""Descriptions of processors: they agree with LLVM, and the compiler makes code for each of them."""

import re
import struct
from pathlib import Path

import pytest

import weft
from weft.codegen.host import host_target
from weft.codegen.machine import machine
from weft.codegen.optimise import emit_assembly
from weft.compiler.build_program import compile_program
from weft.compiler.compile_work_group import compile_work_group
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm
from weft.target import Target, aarch64, describe, ppc64le, register_bytes, riscv64, x86
from weft.transform.simd.vectorize_work_items import vectorize_work_items

ELF_MACHINES = {"x86_64": 62, "aarch64": 183, "riscv64": 243, "powerpc64le": 21}
TARGETS = {
    **{name: x86.describe(name) for name in x86.levels()},
    **{name: aarch64.describe(name) for name in aarch64.levels()},
    **{name: riscv64.describe(name) for name in riscv64.levels()},
    **{name: ppc64le.describe(name) for name in ppc64le.levels()},
    "znver4": x86.describe("znver4", x86.levels()["x86-64-v4"]),
    "neoverse-n1": aarch64.describe("neoverse-n1"),
    "neoverse-v1": aarch64.describe("neoverse-v1"),
}
# Barriers, a divergent loop with calls of the library, strided and gathered accesses, stores under a mask.
KERNELS = {
    "reduce": """
        kernel void k(global const float *a, global float *sums, local float *part) {
            int l = get_local_id(0);
            part[l] = a[get_global_id(0)];
            for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
                barrier(CLK_LOCAL_MEM_FENCE);
                if (l < s) part[l] += part[l + s];
            }
            if (l == 0) sums[get_group_id(0)] = part[0];
        }""",
    "iterate": """
        kernel void k(global const float *a, global float *b) {
            int i = get_global_id(0);
            float x = a[i];
            while (x > 1e-3f) x = 0.5f * sin(x) * log(x + 1);
            b[i] = x;
        }""",
    "look_up": """
        kernel void k(global const int *index, global const double *a, global double *b, global uchar *c) {
            int i = get_global_id(0);
            b[3 * i] = a[index[i]] / (i + 1);
            if (index[i] & 1) c[i] = index[i] % 7;
        }""",
}

# More vectors than registers.
MANY_SUMS = f"""
kernel void k(global const float *a, global float *out, int n) {{
    int i = get_global_id(0);
    float {", ".join(f"s{m} = a[i + {m}]" for m in range(40))};
    for (int j = 0; j < n; j++) {{
        {" ".join(f"s{m} = s{(m + 7) % 40} * s{m} + a[j];" for m in range(40))}
    }}
    out[i] = {" + ".join(f"s{m}" for m in range(40))};
}}"""

SQUARES = """
define void @squares(ptr noalias %a, ptr noalias %b) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %p = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %p, align 4
  %y = fmul float %x, %x
  %q = getelementptr float, ptr %b, i64 %i
  store float %y, ptr %q, align 4
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 4096
  br i1 %more, label %body, label %done
done:
  ret void
}
"""


@pytest.mark.parametrize(
    ("cpu", "registers"),
    [
        *(("znver4", "zmm"), ("rocketlake", "zmm"), ("icelake-server", "zmm"), ("sapphirerapids", "zmm")),
        *(("graniterapids", "zmm"), ("skylake-avx512", "ymm"), ("haswell", "ymm")),
    ],
)
def test_how_wide_llvm_vectorizes_loops(cpu: str, registers: str):
    level = "x86-64-v3" if cpu == "haswell" else "x86-64-v4"
    for features in ("", x86.levels()[level]):
        assembly = emit_assembly([SQUARES], x86.describe(cpu, features))
        assert max(re.findall(r"mulps.*([xyz]mm)", assembly)) == registers


def test_an_x86_processor_without_what_its_model_has_is_one_of_the_lower_level():
    assert x86.describe("znver4", "+avx2,-avx512vl").cpu == "x86-64-v3"
    assert x86.describe("znver4", "+avx2,+avx512f,+avx512vl").cpu == "znver4"


def test_a_target_says_what_it_has():
    wide, narrow = TARGETS["x86-64-v4"], TARGETS["x86-64-v2"]
    assert (wide.lanes(32), wide.lanes(64), wide.vector_registers) == (16, 8, 32)
    assert (narrow.lanes(32), narrow.gathers, narrow.masked_accesses) == (4, False, False)
    assert wide.scatters and not TARGETS["x86-64-v3"].scatters and TARGETS["x86-64-v3"].gathers
    assert TARGETS["rv64gcv-zvl256b"].lanes(32) == 8 and not TARGETS["generic"].gathers
    assert wide.has_intrinsic("x86.sse41.insertps") and not wide.has_intrinsic("aarch64.neon.tbl1.v8i8")
    assert describe("x86_64-unknown-linux-gnu", "x86-64-v4") == wide
    assert x86.for_lanes(4).lanes(32) == 4 and wide.neutral.cpu == "k8"


def test_sve_is_used_where_the_length_of_its_registers_is_known():
    sve = aarch64.describe("neoverse-v1", "+neon,+sve")
    assert (sve.register_bits, sve.vector_scale, sve.gathers, sve.scatters) == (256, 2, True, True)
    assert describe(sve.triple, sve.cpu, sve.features) == sve == TARGETS["neoverse-v1"]
    for cpu, features in (("neoverse-v1", "+neon,-sve"), ("neoverse-v2", "+neon,+sve"), ("generic", "+sve")):
        other = aarch64.describe(cpu, features)
        assert (other.register_bits, other.vector_scale, other.gathers) == (128, 0, False)


def test_an_unknown_architecture_is_refused():
    with pytest.raises(weft.errors.ToolError, match="Weft does not compile for vax processors"):
        describe("vax-dec-ultrix", "")
    assert register_bytes("vax", ()) == 16


@pytest.mark.parametrize("name", TARGETS)
def test_data_layouts_are_those_of_llvm(name: str):
    assert str(machine(TARGETS[name], 2).target_data) == TARGETS[name].data_layout


def test_the_host_is_described_as_llvm_finds_it():
    host = host_target()
    assert str(machine(host, 2).target_data) == host.data_layout


def object_for(target: Target, source: str) -> bytes:
    options = parse_options("")
    (kernel,) = compile_program(source, options, target=target).kernels
    return compile_work_group(
        kernel, CodeOptions.of(options), LaunchForm((64, 1, 1)), target=target
    ).object_code


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    "name", ["x86-64-v2", "neoverse-n1", "neoverse-v1", "rv64gc", "rv64gcv-zvl256b", "pwr9"]
)
def test_kernels_compile_for_every_kind_of_processor(name: str, kernel: str):
    target = TARGETS[name]
    code = object_for(target, KERNELS[kernel])
    assert code[:4] == b"\x7fELF"
    assert struct.unpack_from("<H", code, 18) == (ELF_MACHINES[target.triple.partition("-")[0]],)


# and rsp, -32 or -64
ALIGNMENTS = {"x86-64-v2": None, "x86-64-v3": b"\x48\x83\xe4\xe0", "x86-64-v4": b"\x48\x83\xe4\xc0"}


@pytest.mark.parametrize("name", ALIGNMENTS)
def test_frames_are_aligned_to_vector_registers(name: str):
    """Spilled registers do not cross cache lines."""
    code = object_for(TARGETS[name], MANY_SUMS)
    expected = ALIGNMENTS[name]
    assert [a for a in ALIGNMENTS.values() if a is not None and a in code] == [expected] * (
        expected is not None
    )


def test_the_vectorizer_uses_the_registers_of_the_target(monkeypatch: pytest.MonkeyPatch):
    widths = {}

    def recorded(*arguments, **more):
        found = vectorize_work_items(*arguments, **more)
        widths[name] = max(outcome.width for outcome in found)
        return found

    monkeypatch.setattr("weft.transform.simd.vectorize_work_items.vectorize_work_items", recorded)
    for name in ("generic", "neoverse-v1", "rv64gcv-zvl256b", "x86-64-v4"):
        object_for(TARGETS[name], KERNELS["iterate"])
    assert widths == {"generic": 4, "neoverse-v1": 8, "rv64gcv-zvl256b": 8, "x86-64-v4": 16}


# Modules that may query the processor of this process: the drivers, the loader, and those that pass it to
# another process.
DRIVERS = {
    *(
        "codegen/host.py",
        "build_process.py",
        "codegen/jit.py",
        "compile_server/server.py",
        "compiler/build_program.py",
        "compiler/compile_work_group.py",
        "group_code.py",
        "program.py",
        "unit.py",
        "verify_binary.py",
    ),
    *("explain/explain.py", "explain/recorder.py", "cli/opt.py", "cli/prepare.py", "cli/target.py"),
    *("compile_server/client.py", "compile_server/worker.py", "tiers/tiered_code.py"),
}


def test_only_drivers_query_the_host():
    root = Path(weft.__file__).parent
    found = {str(p.relative_to(root)) for p in root.rglob("*.py") if "host_target" in p.read_text()}
    assert found <= DRIVERS


def test_names_of_x86_are_in_one_file():
    root = Path(weft.__file__).parent
    words = ("avx", "sse4", "llvm.x86", "znver", "x86-64-v")
    folders = ("ir", "analysis", "transform", "codegen", "builtins", "frontend", "device", "runtime", "smt")
    found = {
        f"{path.relative_to(root)}: {word}"
        for folder in folders
        for path in (root / folder).rglob("*.py")
        for word in words
        if word in path.read_text()
    }
    assert not found
