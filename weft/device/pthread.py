"""The device `pthread`: work-groups on all cores that this process may use."""

from weft import settings
from weft.device.info import Description, HostFacts, device_info


def describe(host: HostFacts) -> Description:
    """Describe a device with one thread per available core, or WEFT_THREADS threads."""
    threads = settings.get("WEFT_THREADS") or host.cores
    return Description(device_info("pthread", host, threads), threads=threads, exclusive=False)
