"""The binary interface between compiled work-group functions and the native worker pool.

A work-group function runs one work-group:

    void fn(const weft_launch *launch, const void *args, void *local, void *context,
            uint64_t group_x, uint64_t group_y, uint64_t group_z);

If the work-items of a kernel share nothing, a call may run a tile of the NDRange instead. Tiles need not
divide the range: `local_size` is then the size of a tile, `num_groups` the number of tiles, and the end of
the range truncates the last ones. `launch` is the same for all groups of one NDRange; `args` is the block of
packed kernel arguments; `local` is this worker's local-memory arena (automatic locals first, at fixed
offsets, then the local-pointer arguments, whose slots in `args` hold byte offsets into the arena); `context`
is this worker's arena for context arrays. The argument block and both arenas are aligned to ARENA_ALIGNMENT
(the largest alignment of an OpenCL type); the arenas hold at least the number of bytes that the launch
requests, and their contents are undefined when the function starts. `pool.h` declares the same structure for
C; a test compares the two.
"""

ARENA_ALIGNMENT = 128

# The number of work-items that one call of a work-group function runs in each dimension. None: as in the
# launch, and fewer at the end of the NDRange.
Extents = tuple[int | None, int | None, int | None]

# A block of groups (or tiles) along x and y that the pool runs before others; without blocks it goes row by
# row.
GroupBlock = tuple[int, int]

# The maximum number of work-items of a call.
LARGEST_EXTENT = 4096

# The widths of global ids that code is compiled for. With 29 bits, four times an id plus three is an int that
# does not wrap. Ids of 31 bits are ints. Larger ids are wide, and need slower code.
ID_BITS = SMALL_IDS, INT_IDS, WIDE_IDS = 29, 31, 64

# The number of elements of a context array is rounded up to a multiple of this, which keeps all arrays
# aligned.
ITEM_ROUNDING = 128

# The number of work-items in a sub-group: that of 32-bit lanes in a 512-bit register, or in two 256-bit
# registers. Kernels may require another one of these sizes.
DEFAULT_SUB_GROUP_SIZE = 16
SUB_GROUP_SIZES = (4, 8, 16, 32)

# Byte offsets of the fields of struct weft_launch; each of the first four is uint64_t[3].
GLOBAL_SIZE = 0
GLOBAL_OFFSET = 24
LOCAL_SIZE = 48
NUM_GROUPS = 72
WORK_DIM = 96  # uint32_t
BLOCK = 100  # uint16_t[2]: the pool runs groups in blocks of this size along x and y; 0: in rows
LOCAL_BYTES = 104  # uint64_t: used bytes of the local arena; set by the pool
LAUNCH_SIZE = 112

# Functions of the pool for work-groups whose sub-groups may wait for one another (`device/sub_groups.h`).
# They are called at the start; when a sub-group reaches a barrier or the end and no other is left to begin;
# at the end; and in loops that may wait.
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

# The minimum alignment of slots in the argument block; each slot starts at a multiple of its own alignment.
ARGUMENT_ALIGNMENT = 8

# Records of loops (docs/divergence-design.md): an array at `loop_records_symbol` in the object code. Byte
# offsets of the fields of a record, all uint64_t: the strategy to run, counted from 1 among those that the
# loop was compiled with, or 0 to try all; iterations of work-items by mode, and the lanes of masked
# iterations; then, for each of up to five strategies, its calls, the work-items and cycles of the median part
# of them, and those of all measured parts.
LOOP_RECORD_SIZE = 584
LOOP_STRATEGY = 0
LOOP_COUNTS = {"full": 8, "sub-group": 16, "masked": 24, "serial": 32, "lanes": 40}
LOOP_TIMES = 64
LOOP_TIMES_SIZE = 104
# Functions of the pool that select among the strategies (`device/loop_choice.h`).
STRATEGY_TO_TRY = "weft_strategy_to_try"
STRATEGY_TRIED = "weft_strategy_tried"
LOOP_LAUNCHED = "weft_loop_launched"
LOOP_FUNCTIONS = (STRATEGY_TO_TRY, STRATEGY_TRIED, LOOP_LAUNCHED)

# The state of the entry of baseline code, at `tier_state_symbol` in the object code. Byte offsets of its
# fields, all uint64_t: the address of the work-group function to run instead, or 0 if there is none yet; the
# processor clock cycles during which work-groups ran here.
TIER_BETTER = 0
TIER_CLOCK = 8
TIER_STATE_SIZE = 16

# The prefix of the names of variables in global memory, which all code of a program shares, and the name of
# the table of their addresses in the object code that defines them.
VARIABLE = "weft.variable."
VARIABLES = "weft.variables"

# Maximum size of one of them, and of all in a program.
LARGEST_VARIABLE = 16 << 20
LARGEST_VARIABLES = 24 << 20
# Maximum alignment of one of them, and of a constant: that of pages.
LARGEST_ALIGNMENT = 4096
# Maximum size of the constants of a kernel, which each version of its code contains.
LARGEST_CONSTANTS = 256 << 20


def id_bits(end: int) -> int:
    """Return the smallest width of `ID_BITS` that is sufficient for global ids below `end`."""
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
