"""The OpenCL platforms of this machine, and the environment in which a process sees one of them.

pyopencl's loader reads the `.icd` files of the folder OCL_ICD_VENDORS; each peer gets such a folder with a
single file, so that no system-wide registration is needed or disturbed.
"""

import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench.registry import Caches

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / ".venv-bench"
SYSTEM_VENDORS = Path("/etc/OpenCL/vendors")


@dataclass(frozen=True)
class Platform:
    """A platform: its short name, part of the name it reports, its library and its variables."""

    name: str
    reported: str
    library: str | None
    variables: Mapping[str, str] = field(default_factory=dict)
    cache_switch: str | None = None
    cache_folder: str | None = None

    def environment(self, scratch: Path, caches: Caches) -> dict[str, str]:
        """The environment of a worker; what the platform caches goes below `scratch`."""
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("OCL_", "OPENCL_", "POCL_", "CL_", "WEFT_CACHE"))
        }
        environment |= self.variables
        vendors = scratch / f"vendors-{self.name}"
        vendors.mkdir(exist_ok=True)
        if self.library:
            (vendors / f"{self.name}.icd").write_text(f"{self.library}\n")
        # pyopencl keeps binaries of its own, which would hide what a build costs.
        environment |= {"OCL_ICD_VENDORS": str(vendors), "PYOPENCL_NO_CACHE": "1"}
        if self.cache_switch:
            environment[self.cache_switch] = "0" if caches is Caches.OFF else "1"
        if self.cache_folder:
            folder = scratch / f"cache-{self.name}-{caches.name.lower()}"
            folder.mkdir(mode=0o700, exist_ok=True)
            environment[self.cache_folder] = str(folder)
        return environment


def _weft() -> Platform | None:
    if importlib.util.find_spec("weft") is None:
        return None
    from weft.icd import register

    return Platform("weft", "Weft", str(register.library_path()), {}, "WEFT_CACHE", "WEFT_CACHE_DIR")


def _intel() -> Platform | None:
    library = PEERS / "lib" / "libintelocl.so"
    if not library.exists():
        return None
    # Its wheels load each other's libraries by name. It keeps nothing on disk.
    inherited = os.environ.get("LD_LIBRARY_PATH")
    path = f"{library.parent}:{inherited}" if inherited else str(library.parent)
    return Platform("intel", "Intel(R) OpenCL", str(library), {"LD_LIBRARY_PATH": path})


def _pocl() -> Platform | None:
    icd = SYSTEM_VENDORS / "pocl.icd"
    if not icd.exists():
        return None
    library = icd.read_text().strip()
    return Platform("pocl", "Portable Computing Language", library, {}, "POCL_KERNEL_CACHE", "POCL_CACHE_DIR")


def find_platforms() -> list[Platform]:
    """The platforms that are installed, Weft first."""
    return [found for find in (_weft, _intel, _pocl) if (found := find())]
