"""The OpenCL platforms of a machine, and the environment in which a process sees one of them."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench.registry import Caches
from weft.icd import register

ROOT = Path(__file__).resolve().parents[1]
_INTEL = ROOT / ".venv-bench" / "lib" / "libintelocl.so"
_POCL = Path("/etc/OpenCL/vendors/pocl.icd")

_OF_DRIVERS = ("OCL_", "OPENCL_", "POCL_", "CL_")

CACHE_FOLDERS = ("WEFT_CACHE_DIR", "POCL_CACHE_DIR")
"""Variables that name the folder of compiled kernels of a platform."""

# Prints the names of the platforms that have a device of a given kind.
_LIST = """
import json
import sys
import pyopencl as cl
kind = getattr(cl.device_type, sys.argv[1])
has_device = lambda p: any(d.type & kind for d in p.get_devices())
try:
    print(json.dumps([p.name for p in cl.get_platforms() if has_device(p)]))
except cl.LogicError:
    print("[]")
"""


@dataclass(frozen=True)
class Platform:
    """A platform: its short name, part of the name that it reports, its library and its variables.

    Without a library, the loader finds it, as for any program of the user.
    """

    name: str
    reported: str
    library: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    cache_switch: str | None = None
    cache_folder: str | None = None

    def environment(self, scratch: Path, caches: Caches) -> dict[str, str]:
        """Return the environment of a worker; caches of the platform are below `scratch`."""
        dropped = (*_OF_DRIVERS, "WEFT_CACHE") if self.library else ("WEFT_CACHE",)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        environment |= self.variables
        if self.library:
            # A loader reads only the `.icd` files of this folder.
            vendors = scratch / f"vendors-{self.name}"
            vendors.mkdir(exist_ok=True)
            (vendors / f"{self.name}.icd").write_text(f"{self.library}\n")
            environment["OCL_ICD_VENDORS"] = str(vendors)
        # pyopencl has its own cache of binaries, which would hide the cost of a build.
        environment["PYOPENCL_NO_CACHE"] = "1"
        if self.cache_switch:
            environment[self.cache_switch] = "0" if caches is Caches.OFF else "1"
        if self.cache_folder:
            folder = scratch / f"cache-{self.name}-{caches.name.lower()}"
            folder.mkdir(mode=0o700, exist_ok=True)
            environment[self.cache_folder] = str(folder)
        return environment


def weft_platform() -> Platform:
    """Return the Weft of this process, registered or not."""
    library = str(register.library_path())
    return Platform("weft", "Weft", library, {}, "WEFT_CACHE", "WEFT_CACHE_DIR")


def intel_platform(library: Path | None = None) -> Platform:
    """Return Intel's runtime, which stores nothing on disk."""
    if library is None:
        return Platform("intel", "Intel(R) OpenCL")
    # The libraries of its wheels load each other by name.
    inherited = os.environ.get("LD_LIBRARY_PATH")
    path = f"{library.parent}:{inherited}" if inherited else str(library.parent)
    return Platform("intel", "Intel(R) OpenCL", str(library), {"LD_LIBRARY_PATH": path})


def pocl_platform(library: str | None = None) -> Platform:
    """Return pocl."""
    return Platform("pocl", "Portable Computing Language", library, {}, "POCL_KERNEL_CACHE", "POCL_CACHE_DIR")


def find_platforms() -> list[Platform]:
    """Return Weft and the installed peers of `make bench`."""
    platforms = [weft_platform()]
    if _INTEL.exists():
        platforms.append(intel_platform(_INTEL))
    if _POCL.exists():
        platforms.append(pocl_platform(_POCL.read_text().strip()))
    return platforms


def installed_platforms() -> list[Platform]:
    """Return Weft, and every other platform with a CPU that the user's loader finds."""
    return _with_loaded([weft_platform()], "CPU")


def all_platforms() -> list[Platform]:
    """Return Weft, the installed peers of `make bench`, and what the loader finds, for any kind of device."""
    return _with_loaded(find_platforms(), "ALL")


def _with_loaded(platforms: list[Platform], kind: str) -> list[Platform]:
    for reported in _reported_names(kind):
        platform = _from_loader(reported)
        if platform.name not in [other.name for other in platforms]:
            platforms.append(platform)
    return platforms


def _reported_names(kind: str) -> list[str]:
    # In a separate process: drivers start threads and may crash.
    listing = subprocess.run(
        [sys.executable, "-c", _LIST, kind], capture_output=True, text=True, check=False, timeout=120
    )
    if listing.returncode:
        raise RuntimeError(f"the OpenCL platforms cannot be listed: {listing.stderr.strip()}")
    names: list[str] = json.loads(listing.stdout.splitlines()[-1])
    return names


def _from_loader(reported: str) -> Platform:
    for known in (weft_platform(), intel_platform(), pocl_platform()):
        if known.reported in reported:
            return known
    word = re.match(r"\w+", reported)
    return Platform(word.group().lower() if word else reported, reported)
