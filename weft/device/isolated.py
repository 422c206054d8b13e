"""The device `isolated`: work-groups on all cores, in another process.

A kernel that faults or loops forever ends that process, not this one: its command fails, and the next launch
gets a new process. Buffers are in shared memory (`region.py`); docs/isolated-device.md describes the design.
"""

import os

from weft import settings
from weft.dataclasses import replace
from weft.device.info import Description, HostFacts, device_info
from weft.device.region import SERVER, RegionPlan

_NANOSECONDS = 10**9


def is_available() -> bool:
    """Whether there is a device server for this processor."""
    return os.uname().machine == "x86_64"


def describe(host: HostFacts) -> Description:
    """Describe a device with the threads of `pthread` and the memory of WEFT_ISOLATED_MEMORY."""
    threads = settings.get("WEFT_THREADS") or host.cores
    memory = settings.get("WEFT_ISOLATED_MEMORY") or host.memory_bytes // 2
    info = replace(
        device_info("isolated", replace(host, memory_bytes=memory), threads),
        shares_system_memory=False,
        partitionable=False,
    )
    limit = round(settings.get("WEFT_ISOLATED_SECONDS") * _NANOSECONDS)
    plan = RegionPlan(threads, memory, limit, lambda: (str(SERVER),))
    return Description(info, threads, exclusive=False, region=plan)
