"""LLVM in a process that has replaced `operator new`, before or after libstdc++ was loaded."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from weft.icd import toolchain

# What it allocates, only its own `operator delete` can free: anything else ends the process.
ALLOCATOR = """
#include <stdlib.h>
#define EXPORTED __attribute__((visibility("default")))
EXPORTED void *_Znwm(size_t size) { char *memory = malloc(size + 16); return memory ? memory + 16 : NULL; }
EXPORTED void *_Znam(size_t size) { return _Znwm(size); }
EXPORTED void _ZdlPv(void *memory) { if (memory) free((char *)memory - 16); }
EXPORTED void _ZdaPv(void *memory) { _ZdlPv(memory); }
"""

COMPILE = """
import ctypes, sys
if sys.argv[1] == "late":
    ctypes.CDLL("libstdc++.so.6")
    ctypes.CDLL(sys.argv[2], mode=ctypes.RTLD_GLOBAL)
from weft.codegen import optimise
from weft.codegen.late_allocator import is_added_late
from weft.codegen.host import host_target
text = "define i32 @f(i32 %x) { %y = add i32 %x, 1\\n ret i32 %y }"
print(is_added_late(), len(optimise.emit_object(text, host_target(), 0, ["f"])) > 100)
"""


@pytest.fixture(scope="module")
def allocator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("allocator")
    (folder / "allocator.c").write_text(ALLOCATOR)
    toolchain.compile_c([folder / "allocator.c"], folder / "allocator.so")
    return folder / "allocator.so"


@pytest.mark.parametrize(
    "time, expected", [("late", "True True\n"), ("early", "False True\n"), ("never", "False True\n")]
)
def test_llvm_frees_what_it_allocates(allocator: Path, time: str, expected: str) -> None:
    environment = dict(os.environ)
    if time == "early":
        environment["LD_PRELOAD"] = str(allocator)
    command = [sys.executable, "-c", COMPILE, time, str(allocator)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert (done.returncode, done.stdout) == (0, expected), done.stderr
