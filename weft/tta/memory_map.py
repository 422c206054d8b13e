"""The memory map of a machine.

Nothing is at address 0. Group ids, launch structure and arguments follow, then local memory, constants,
private memory and spills, and buffers.
"""

from weft.abi import LAUNCH_SIZE

GROUPS, LAUNCH, ARGUMENTS, LOCAL, STACK = 0x40, 0x80, 0x100, 0x10000, 0x20000
assert LAUNCH + LAUNCH_SIZE <= ARGUMENTS
