"""The processor that code is generated for: the host, or a level of it that a setting names."""

import os
import platform
import re
import subprocess
import sys

import pytest

from weft.codegen import host, llvm_library
from weft.codegen.host import detect_host_target, host_target
from weft.codegen.optimise import emit_assembly
from weft.settings import InvalidSetting
from weft.target import Target

ADD = """
define void @add(ptr %a) {
  %x = load <16 x float>, ptr %a, align 64
  %y = fadd <16 x float> %x, %x
  store <16 x float> %y, ptr %a, align 64
  ret void
}
"""
RUN = """
import numpy as np, pyopencl as cl
platform = next(p for p in cl.get_platforms() if p.name == "Weft")
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context)
text = "__kernel void twice(__global float *x) { x[get_global_id(0)] *= 2; }"
kernel = cl.Program(context, text).build().twice
values = np.arange(64, dtype=np.float32)
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
kernel(queue, (64,), None, buffer)
cl.enqueue_copy(queue, values, buffer)
assert (values == 2 * np.arange(64)).all(), values
"""


on_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="the levels are those of x86-64")


def target(monkeypatch: pytest.MonkeyPatch, level: str) -> Target:
    """The target under a setting; a process keeps the one it starts with."""
    host_target()
    monkeypatch.setenv("WEFT_CPU", level)
    return detect_host_target()


@on_x86
@pytest.mark.parametrize(
    ("level", "lanes", "register"),
    [("x86-64", 4, "xmm"), ("x86-64-v2", 4, "xmm"), ("x86-64-v3", 8, "ymm"), ("x86-64-v4", 16, "zmm")],
)
def test_a_level_decides_how_wide_registers_are(
    monkeypatch: pytest.MonkeyPatch, level: str, lanes: int, register: str
) -> None:
    made = target(monkeypatch, level)
    assert made.lanes(32) == lanes
    assert max(re.findall(r"[xyz]mm", emit_assembly(ADD, made))) == register


def test_the_host_is_not_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    assert target(monkeypatch, "host") == host_target()


def test_sve_is_left_out_where_the_system_allows_less_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm_library, "process_triple", lambda: "aarch64-unknown-linux-gnu")
    monkeypatch.setattr(llvm_library, "host_processor", lambda: ("neoverse-v1", "+lse,+neon,+sve,-sve2"))
    for bits, used, features in ((256, 256, "+lse,+neon,+sve,-sve2"), (128, 128, "+lse,+neon,-sve,-sve2")):
        monkeypatch.setattr(host, "sve_bits", lambda bits=bits: bits)
        made = target(monkeypatch, "host")
        assert (made.register_bits, made.features) == (used, features)


def test_another_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidSetting, match="WEFT_CPU='pentium': expected one of host, "):
        target(monkeypatch, "pentium")


@on_x86
def test_kernels_run_at_a_lower_level() -> None:
    environment = os.environ | {"WEFT_CPU": "x86-64-v2", "PYOPENCL_NO_CACHE": "1"}
    result = subprocess.run(
        [sys.executable, "-c", RUN], env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
