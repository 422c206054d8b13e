"""The device `basic`: one work-group at a time, on the thread that waits for it.

The simplest execution that is right, to compare others with. If no thread waits, one worker of the pool
takes the work up after a fraction of a millisecond, so that commands make progress without a wait.
"""

from weft.device.info import Description, HostFacts, device_info


def describe(host: HostFacts) -> Description:
    """One thread of execution, shared by waiting host threads and the pool's only worker."""
    return Description(device_info("basic", host, 1), threads=1, exclusive=True)
