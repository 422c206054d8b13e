"""Properties of the host and of devices."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from weft.dataclasses import dataclass
from weft.target import register_bytes
from weft.versions import opencl_version

if TYPE_CHECKING:
    from weft.device.region import RegionPlan
    from weft.tta.machine import Machine

_UNLIMITED = 2**60


@dataclass(frozen=True)
class HostFacts:
    """What the operating system says about processors and memory; sizes in bytes, 0 where unknown."""

    name: str
    vendor: str
    vendor_id: int
    flags: frozenset[str]
    cores: int
    clock_mhz: int
    cache_line: int
    l1_bytes: int
    l2_bytes: int
    l3_bytes: int
    memory_bytes: int


@dataclass(frozen=True)
class DeviceInfo:
    """A device as clGetDeviceInfo presents it, without OpenCL's types."""

    kind: str
    name: str
    vendor: str
    vendor_id: int
    compute_units: int
    clock_mhz: int
    max_work_item_dimensions: int
    max_work_item_sizes: tuple[int, int, int]
    max_work_group_size: int
    address_bits: int
    little_endian: bool
    global_memory_bytes: int
    max_allocation_bytes: int
    global_cache_bytes: int
    cache_line_bytes: int
    local_memory_bytes: int
    max_constant_bytes: int
    max_constant_arguments: int
    max_parameter_bytes: int
    base_address_alignment_bytes: int
    vector_bytes: int
    profiling_resolution_ns: int
    l1_bytes: int
    l2_bytes: int
    l3_bytes: int
    shares_system_memory: bool = True
    """Kernels reach all memory of the host by its address."""
    partitionable: bool = True
    is_accelerator: bool = False
    """It is not a host processor."""
    is_full: bool = True
    """It has what the full profile of OpenCL demands; if not, what the embedded one does."""
    only: frozenset[str] | None = None
    """The extensions and the features of OpenCL C that it has; None: all."""
    has_fused_multiply_add: bool = True

    def has(self, name: str) -> bool:
        """Whether it has an extension or a feature of OpenCL C, by its name."""
        return self.only is None or name in self.only

    @property
    def version(self) -> tuple[int, int]:
        """The version of OpenCL that it has: all of OpenCL 3.1, or what OpenCL 3.0 demands."""
        return opencl_version(self.only)

    def vector_width(self, element_bytes: int) -> int:
        """How many elements of that size one vector register holds, within OpenCL's limit of 16."""
        return max(1, min(16, self.vector_bytes // element_bytes))


@dataclass(frozen=True)
class Description:
    """A device to be made: its facts and its worker pool's shape."""

    info: DeviceInfo
    threads: int
    exclusive: bool
    region: "RegionPlan | None" = None
    """The memory that it shares with a server process, in which it runs launches; None: it has none."""
    machine: "Machine | None" = None
    """The machine that is simulated to run launches; None: none is."""


def _read(path: Path) -> str:
    """The text of a file of /proc or /sys; empty where this kernel or container has none."""
    try:
        return path.read_text()
    except OSError:
        return ""


def parse_size(text: str) -> int:
    """Bytes meant by a size as /sys writes it (`32K`, `1M`, `4096`); 0 for anything else."""
    found = re.fullmatch(r"(\d+)([KMG]?)", text.strip())
    if not found:
        return 0
    return int(found[1]) * {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}[found[2]]


def caches(root: Path) -> tuple[int, dict[int, int]]:
    """The cache line and the bytes of each level's data cache that one core sees."""
    line = 0
    levels: dict[int, int] = {}
    for index in sorted(root.glob("cpu0/cache/index*")):
        if _read(index / "type").strip() == "Instruction":
            continue
        line = line or parse_size(_read(index / "coherency_line_size"))
        level = parse_size(_read(index / "level"))
        if level:
            levels[level] = parse_size(_read(index / "size"))
    return line or 64, levels


def control_group_folders(controller: str, proc: Path, mount: Path) -> list[Path]:
    """The folders, innermost first, whose limits of `controller` bind this process (versions 1 and 2)."""
    folders: list[Path] = []
    for row in _read(proc / "self/cgroup").splitlines():
        _, names, path = row.split(":", 2)
        if names and controller not in names.split(","):
            continue
        root = mount / controller if names else mount
        folder = root / path.lstrip("/")
        # Inside a container the path may be the host's: its parents up to the mount point still count.
        while folder != root:
            folders.append(folder)
            folder = folder.parent
        folders.append(root)
    return folders


def processor_limit(folders: list[Path]) -> float:
    """The least number of processors' worth of time that the control groups grant."""
    limit = float("inf")
    for folder in folders:
        quota, _, period = _read(folder / "cpu.max").strip().partition(" ")
        if not quota:
            quota = _read(folder / "cpu.cfs_quota_us").strip()
            period = _read(folder / "cpu.cfs_period_us").strip()
        if quota.isdigit() and period.isdigit() and int(period):
            limit = min(limit, int(quota) / int(period))
    return limit


def memory_limit(folders: list[Path]) -> int:
    """The least memory limit of the control groups, in bytes; a huge number if there is none."""
    limit = _UNLIMITED
    for folder in folders:
        for name in ("memory.max", "memory.limit_in_bytes"):
            text = _read(folder / name).strip()
            if text.isdigit():
                limit = min(limit, int(text))
    return limit


def _available_cores() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    folders = control_group_folders("cpu", Path("/proc"), Path("/sys/fs/cgroup"))
    limit = processor_limit(folders)
    return max(1, cores if limit >= cores else round(limit))


def _clock_mhz(cpuinfo: dict[str, str]) -> int:
    kilohertz = _read(Path("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")).strip()
    if kilohertz.isdigit():
        return int(kilohertz) // 1000
    return round(float(cpuinfo.get("cpu MHz", "0") or 0))


def _flags(cpuinfo: dict[str, str]) -> frozenset[str]:
    """The features that the system reports, and `sve256` etc. for the length of SVE registers."""
    flags = frozenset(cpuinfo.get("flags", cpuinfo.get("Features", "")).split())
    if "sve" not in flags:
        return flags
    from weft.codegen.host import sve_bits  # few processors need it

    return flags | {f"sve{sve_bits()}"}


# Makers of ARM processors, by the number that the system tells.
_IMPLEMENTERS = {
    **{"0x41": "ARM", "0x42": "Broadcom", "0x43": "Cavium", "0x46": "Fujitsu", "0x48": "HiSilicon"},
    **{"0x4e": "NVIDIA", "0x51": "Qualcomm", "0x53": "Samsung", "0x61": "Apple", "0x6d": "Microsoft"},
    **{"0xc0": "Ampere"},
}


def host_facts() -> HostFacts:
    """Query the operating system; a few small files, no more."""
    first = _read(Path("/proc/cpuinfo")).split("\n\n", 1)[0]
    rows = (row.partition(":") for row in first.splitlines())
    cpuinfo = {key.strip(): value.strip() for key, _, value in rows}
    vendor = cpuinfo.get("vendor_id", "")
    line, levels = caches(Path("/sys/devices/system/cpu"))
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    groups = control_group_folders("memory", Path("/proc"), Path("/sys/fs/cgroup"))
    return HostFacts(
        name=" ".join(cpuinfo.get("model name", os.uname().machine).split()),
        vendor=vendor or _IMPLEMENTERS.get(cpuinfo.get("CPU implementer", ""), "unknown"),
        vendor_id={"GenuineIntel": 0x8086, "AuthenticAMD": 0x1022}.get(vendor, 0),
        flags=_flags(cpuinfo),
        cores=_available_cores(),
        clock_mhz=_clock_mhz(cpuinfo),
        cache_line=line,
        l1_bytes=levels.get(1, 0),
        l2_bytes=levels.get(2, 0),
        l3_bytes=levels.get(3, 0),
        memory_bytes=min(physical, memory_limit(groups)),
    )


def device_info(kind: str, host: HostFacts, compute_units: int) -> DeviceInfo:
    """The facts of a device of this host that runs on `compute_units` of its cores."""
    memory = host.memory_bytes
    return DeviceInfo(
        kind=kind,
        name=f"{kind}-{host.name}",
        vendor=host.vendor,
        vendor_id=host.vendor_id,
        compute_units=compute_units,
        clock_mhz=host.clock_mhz,
        max_work_item_dimensions=3,
        max_work_item_sizes=(4096, 4096, 4096),
        max_work_group_size=4096,
        address_bits=64,
        little_endian=True,
        global_memory_bytes=memory,
        # A quarter is the least the specification allows; half leaves room for the host's own copy.
        max_allocation_bytes=max(memory // 4, min(memory // 2, 2**40)),
        global_cache_bytes=host.l3_bytes or host.l2_bytes,
        cache_line_bytes=host.cache_line,
        # Local memory is ordinary memory in an arena: what one core's own cache holds beside the data it
        # is filled from.
        local_memory_bytes=max(64 * 2**10, min(host.l2_bytes // 2, 256 * 2**10)),
        max_constant_bytes=max(64 * 2**10, min(memory // 4, 2**31)),
        max_constant_arguments=64,
        max_parameter_bytes=4096,
        base_address_alignment_bytes=128,
        vector_bytes=register_bytes(os.uname().machine, host.flags),
        profiling_resolution_ns=1,
        l1_bytes=host.l1_bytes,
        l2_bytes=host.l2_bytes,
        l3_bytes=host.l3_bytes,
    )
