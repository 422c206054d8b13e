"""The corpus: what clang emits for the kernels under corpus/, at several optimization levels."""

from functools import cache
from pathlib import Path

from weft.frontend.clang import run_clang
from weft.frontend.compile import HEADER

FOLDER = Path(__file__).parent / "corpus"
SOURCES = sorted(path.stem for path in FOLDER.glob("*.cl"))

_COMMON = [
    *("-triple", "x86_64-unknown-linux-gnu", "-target-cpu", "x86-64-v3", "-ffake-address-space-map"),
    *("-x", "cl", "-fdeclare-opencl-builtins", "-include", str(HEADER), "-nostdsysteminc", "-nobuiltininc"),
    *("-cl-ext=+all", "-cl-kernel-arg-info", "-w", "-emit-llvm", "-o", "-"),
]

# Each is a way in which clang's output differs: by optimization, names, debug information, flags.
CONFIGURATIONS = {
    "O0": ["-O0"],
    "O1": ["-O1", "-discard-value-names"],
    "O3": ["-O3", "-vectorize-loops", "-vectorize-slp"],
    "frontend": ["-O2", "-disable-llvm-passes"],
    "fast": ["-O2", "-cl-fast-relaxed-math", "-discard-value-names"],
    "debug": ["-O1", "-debug-info-kind=standalone", "-dwarf-version=5"],
}


@cache
def compiled(source: str, configuration: str) -> str:
    """LLVM's text of one file of the corpus."""
    standard = "-cl-std=CL3.0" if source == "generic" else "-cl-std=CL1.2"
    text = (FOLDER / f"{source}.cl").read_text()
    result = run_clang([*_COMMON, standard, *CONFIGURATIONS[configuration]], text)
    assert result.returncode == 0, result.diagnostics
    return result.output
