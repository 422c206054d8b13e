"""The binary interface between compiled work-group functions and the native worker pool.

A work-group function runs one work-group:

    void fn(const weft_launch *launch, const void *args, void *local, void *context,
            uint64_t group_x, uint64_t group_y, uint64_t group_z);

If the work-items of a kernel share nothing, a call may run a tile of the NDRange instead, which need not
divide it: `local_size` is then the size of a tile and `num_groups` the number of tiles. The end of the range
truncates the last ones. `launch` is the same for all groups of one NDRange; `args` is the block of packed
kernel arguments; `local` is this worker's local-memory arena (automatic locals first, at fixed offsets, then
the local-pointer arguments, whose slots in `args` hold byte offsets into the arena); `context` is this
worker's arena for context arrays. The argument block and both arenas are aligned to ARENA_ALIGNMENT (the
largest alignment of an OpenCL type); the arenas hold at least the number of bytes that the launch requests,
and their contents are undefined when the function starts. `pool.h` declares the same structure for C; a test
compares the two.
"""

ARENA_ALIGNMENT = 128

# Work-items that one call of a work-group function runs in each dimension. None: as many as the launch says,
# fewer at the end of the NDRange.
Extents = tuple[int | None, int | None, int | None]

# Groups (or tiles) along x and y that the pool runs before it goes on to others; else it goes row by row.
GroupBlock = tuple[int, int]

# No call runs more work-items than this.
LARGEST_EXTENT = 4096

# The bits of global ids that code is made for. Four times an id of 29 bits, and up to three more, is an int
# that does not wrap. Ids of 31 bits are ints; larger ones are wide, and take slower code.
ID_BITS = SMALL_IDS, INT_IDS, WIDE_IDS = 29, 31, 64

# Context arrays have room for a multiple of this many work-items, which keeps every array aligned.
ITEM_ROUNDING = 128

# The work-items of a sub-group: as many as a register of 512 bits has lanes of 32 bits, or two of 256.
# Kernels may require another one of these sizes.
DEFAULT_SUB_GROUP_SIZE = 16
SUB_GROUP_SIZES = (4, 8, 16, 32)

# Byte offsets of the fields of struct weft_launch; each of the first four is uint64_t[3].
GLOBAL_SIZE = 0
GLOBAL_OFFSET = 24
LOCAL_SIZE = 48
NUM_GROUPS = 72
WORK_DIM = 96  # uint32_t
BLOCK = 100  # uint16_t[2]: the pool runs groups in blocks of so many along x and y; 0: in rows
LOCAL_BYTES = 104  # uint64_t: of the local arena, what the launch uses; the pool fills it in
LAUNCH_SIZE = 112

# Functions of the pool for work-groups whose sub-groups may wait for one another (`device/sub_groups.h`):
# they are called at the start, when all sub-groups have come to a barrier or to the end, at the end, and in
# loops that may wait.
BEGIN_SUB_GROUPS = "weft_begin_sub_groups"
AWAIT_SUB_GROUPS = "weft_await_sub_groups"
END_SUB_GROUPS = "weft_end_sub_groups"
YIELD = "weft_yield"
SUB_GROUP_FUNCTIONS = (BEGIN_SUB_GROUPS, AWAIT_SUB_GROUPS, END_SUB_GROUPS, YIELD)

# Functions of named barriers, which SPIR-V modules call and the compiler defines, and how many barriers a
# work-group has: OpenCL demands 8. Each takes 16 bytes of the local memory of kernels that have any.
NAMED_BARRIER_INITIALIZE = "weft.named_barrier_initialize"
NAMED_BARRIER_WAIT = "weft.named_barrier_wait"
MOST_NAMED_BARRIERS = 32

# In the argument block every slot starts at a multiple of its own alignment, at least this.
ARGUMENT_ALIGNMENT = 8

# Records of loops (docs/divergence-design.md), an array at `loop_records_symbol` in the object code. Byte
# offsets of the fields of a record, all uint64_t: the strategy that is to run, 1 for the first of those that
# the loop was compiled with, 0 to try them all; iterations of work-items by mode, and the lanes that masked
# iterations had; then for each strategy of up to five its calls, the work-items and cycles of the median part
# of them, and those of all parts, as far as they were measured.
LOOP_RECORD_SIZE = 584
LOOP_STRATEGY = 0
LOOP_COUNTS = {"full": 8, "sub-group": 16, "masked": 24, "serial": 32, "lanes": 40}
LOOP_TIMES = 64
LOOP_TIMES_SIZE = 104

# The state of the entry of baseline code, at `tier_state_symbol` in the object code. Byte offsets of its
# fields, all uint64_t: the address of the work-group function that is to run instead, 0 as long as there is
# none; the processor's clock while work-groups ran here.
TIER_BETTER = 0
TIER_CLOCK = 8
TIER_STATE_SIZE = 16

# What the names of variables in global memory begin with, which all code of a program shares, and the name of
# the table of their addresses in the object code that defines them.
VARIABLE = "weft.variable."
VARIABLES = "weft.variables"

# Bytes that one of them may have, and all of a program together.
LARGEST_VARIABLE = 16 << 20
LARGEST_VARIABLES = 24 << 20
# Bytes that one of them may be aligned to: pages are.
LARGEST_ALIGNMENT = 4096


def id_bits(end: int) -> int:
    """Return the fewest bits of `ID_BITS` that global ids below `end` have."""
    return next(bits for bits in ID_BITS if end <= 1 << bits)


def loop_records_symbol(kernel: str) -> str:
    """Return the name of the records of a kernel's loops."""
    return f"weft.loops.{kernel}"


def work_group_symbol(kernel: str) -> str:
    """Return the name of a kernel's work-group function."""
    return f"weft.workgroup.{kernel}"


def baseline_symbol(kernel: str) -> str:
    """Return the name of the entry of a kernel's baseline code."""
    return f"weft.baseline.{kernel}"


def tier_state_symbol(kernel: str) -> str:
    """Return the name of the state of a kernel's baseline code."""
    return f"weft.tier.{kernel}"
