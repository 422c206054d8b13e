"""Cached code is not used any more when what made it has changed."""

import subprocess
import sys
from pathlib import Path

import weft
from weft.toolchain import _files

ROOT = Path(weft.__file__).parent

# What the compiler imports and what has no part in what it gives.
_NO_PART = {
    *("__init__.py", "errors.py", "faults.py", "limits.py", "locks.py", "profile.py", "recursion.py"),
    *("settings.py", "trace.py"),
}

_NO_FOLDERS = {"tiers", "compile_server"}

_COMPILES = """
import sys
from weft.group_code import compile_form
from weft.launch_form import LaunchForm
from weft.program import build
text = '''
kernel void f(global float *a, int n) {
    for (int i = 0; i < n + get_global_id(0) % 3; i++) a[get_global_id(0)] += sin(a[i]);
}
'''
kernel = build(text, "").kernels["f"]
compile_form(kernel.code, kernel.options, LaunchForm((64, 1, 1)))
for name, module in list(sys.modules.items()):
    if name.startswith("weft") and getattr(module, "__file__", None):
        print(module.__file__)
"""


def test_every_part_of_the_compiler_counts() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _COMPILES], capture_output=True, text=True, timeout=120, check=True
    )
    used = {Path(line).relative_to(ROOT) for line in done.stdout.splitlines()}
    known = {Path(entry.path).relative_to(ROOT) for entry in _files(ROOT)}
    others = {p for p in used - known if p.parts[0] not in _NO_FOLDERS and str(p) not in _NO_PART}
    assert Path("transform/simd/strategies.py") in known and Path("smt/prover.py") in used
    assert others == set()
