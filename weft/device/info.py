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
    """Properties of processors and memory reported by the operating system; sizes in bytes, 0 if unknown."""

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
    """The properties of a device for clGetDeviceInfo, without the types of OpenCL."""

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
    """Kernels can access all memory of the host by its address."""
    partitionable: bool = True
    is_accelerator: bool = False
    """The device is not a host processor."""
    is_full: bool = True
    """The device has the full profile of OpenCL, not the embedded profile."""
    only: frozenset[str] | None = None
    """The supported extensions and features of OpenCL C; None: all."""
    has_fused_multiply_add: bool = True

    def has(self, name: str) -> bool:
        """Whether the device supports an extension or a feature of OpenCL C, by its name."""
        return self.only is None or name in self.only

    @property
    def version(self) -> tuple[int, int]:
        """The supported version of OpenCL: 3.1, or 3.0 if the device lacks features that 3.1 requires."""
        return opencl_version(self.only)

    def vector_width(self, element_bytes: int) -> int:
        """Return the number of elements of a size in a vector register, at most 16 as OpenCL requires."""
        return max(1, min(16, self.vector_bytes // element_bytes))


@dataclass(frozen=True)
class Description:
    """A device to be created: its properties and the size of its worker pool."""

    info: DeviceInfo
    threads: int
    exclusive: bool
    region: "RegionPlan | None" = None
    """The memory shared with a device server, in which launches run; None if there is no server."""
    machine: "Machine | None" = None
    """The simulated machine that runs launches; None if there is none."""


def _read(path: Path) -> str:
    """Return the text of a file of /proc or /sys; empty if this kernel or container lacks it."""
    try:
        return path.read_text()
    except OSError:
        return ""


def parse_size(text: str) -> int:
    """Convert a size in the form of /sys (`32K`, `1M`, `4096`) to bytes; 0 for other text."""
    found = re.fullmatch(r"(\d+)([KMG]?)", text.strip())
    if not found:
        return 0
    return int(found[1]) * {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}[found[2]]


def caches(root: Path) -> tuple[int, dict[int, int]]:
    """Return the size of a cache line, and of the data cache of each level that one core uses."""
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
    """Return the cgroup folders, innermost first, that limit this process (versions 1 and 2 of cgroups)."""
    folders: list[Path] = []
    for row in _read(proc / "self/cgroup").splitlines():
        _, names, path = row.split(":", 2)
        if names and controller not in names.split(","):
            continue
        root = mount / controller if names else mount
        folder = root / path.lstrip("/")
        # In a container the path may be that of the host; its parents up to the mount point still apply.
        while folder != root:
            folders.append(folder)
            folder = folder.parent
        folders.append(root)
    return folders


def processor_limit(folders: list[Path]) -> float:
    """Return the minimum number of processors that the control groups grant."""
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
    """Return the minimum memory limit of the control groups, in bytes; a huge number if there is none."""
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
    """Return the features that the system reports, and `sve256` etc. for the length of SVE registers."""
    flags = frozenset(cpuinfo.get("flags", cpuinfo.get("Features", "")).split())
    if "sve" not in flags:
        return flags
    from weft.codegen.host import sve_bits  # few processors need it

    return flags | {f"sve{sve_bits()}"}


# Vendors of ARM processors, by the implementer number that the system reports.
_IMPLEMENTERS = {
    **{"0x41": "ARM", "0x42": "Broadcom", "0x43": "Cavium", "0x46": "Fujitsu", "0x48": "HiSilicon"},
    **{"0x4e": "NVIDIA", "0x51": "Qualcomm", "0x53": "Samsung", "0x61": "Apple", "0x6d": "Microsoft"},
    **{"0xc0": "Ampere"},
}


def host_facts() -> HostFacts:
    """Query the operating system, by reading a few small files."""
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
    """Return the properties of a device of this host that runs on `compute_units` of its cores."""
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
        # The specification requires at least a quarter; half leaves room for the host's own copy.
        max_allocation_bytes=max(memory // 4, min(memory // 2, 2**40)),
        global_cache_bytes=host.l3_bytes or host.l2_bytes,
        cache_line_bytes=host.cache_line,
        # Local memory is ordinary memory in an arena. It should fit in the cache of one core together with
        # the data from which it is filled.
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
