"""The device `pthread`: work-groups on all cores that this process may use."""

from weft import settings
from weft.device.info import Description, HostFacts, device_info


def describe(host: HostFacts) -> Description:
    """One thread per available core, or as many as WEFT_THREADS says."""
    threads = settings.get("WEFT_THREADS") or host.cores
    return Description(device_info("pthread", host, threads), threads=threads, exclusive=False)
