"""The platforms that `make bench` compares: Weft, and the peers that it installs."""

from pathlib import Path

from weft.bench.platforms import Platform, intel_platform, pocl_platform, weft_platform

__all__ = ["Platform", "find_platforms"]

ROOT = Path(__file__).resolve().parents[1]
_INTEL = ROOT / ".venv-bench" / "lib" / "libintelocl.so"
_POCL = Path("/etc/OpenCL/vendors/pocl.icd")


def find_platforms() -> list[Platform]:
    """The platforms that are installed, Weft first."""
    found = [weft_platform()]
    if _INTEL.exists():
        found.append(intel_platform(_INTEL))
    if _POCL.exists():
        found.append(pocl_platform(_POCL.read_text().strip()))
    return found
