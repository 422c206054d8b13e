"""The device `basic`: one work-group at a time, on the thread that waits for it.

This is the simplest correct execution, for comparison. If no thread waits, one worker of the pool takes the
command after a fraction of a millisecond, so that commands make progress without a wait.
"""

from weft.device.info import Description, HostFacts, device_info


def describe(host: HostFacts) -> Description:
    """Describe a device with one thread of execution, for waiting host threads and the pool's only worker."""
    return Description(device_info("basic", host, 1), threads=1, exclusive=True)
