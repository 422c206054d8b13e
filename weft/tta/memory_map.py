"""The map of a machine's memory: nothing at address 0, ids of the group, the launch and the arguments, local
memory, then constants, private memory and spilled values, then buffers."""

from weft.abi import LAUNCH_SIZE

GROUPS, LAUNCH, ARGUMENTS, LOCAL, STACK = 0x40, 0x80, 0x100, 0x10000, 0x20000
assert LAUNCH + LAUNCH_SIZE <= ARGUMENTS
