"""Properties of OpenCL C built-in functions that the rewriter uses."""

from weft.lazy_pattern import lazy_pattern

# Work-item functions, by the effect on dimension 0 of merging VF neighbours along x.
LANE_IDS = frozenset(("get_global_id", "get_local_id"))
SCALED = frozenset(("get_global_size", "get_local_size", "get_enqueued_local_size", "get_global_offset"))
GROUP_WIDE = frozenset(("get_group_id", "get_num_groups", "get_work_dim"))
# If a kernel uses these, its work-groups must not change.
OF_GROUPS = frozenset(
    ("get_local_id", "get_local_size", "get_enqueued_local_size", "get_group_id", "get_num_groups")
)
LINEAR_IDS = frozenset(("get_global_linear_id", "get_local_linear_id"))

BARRIERS = frozenset(("barrier", "work_group_barrier"))
FENCES = frozenset(("mem_fence", "read_mem_fence", "write_mem_fence"))
GROUP_COPIES = frozenset(
    ("async_work_group_copy", "async_work_group_strided_copy", "wait_group_events", "prefetch")
)

# Functions whose result components depend only on the same components of the arguments, with an overload for
# vectors of every size whose arguments are all vectors.
_ELEMENTWISE = """
acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi erfc
erf exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod hypot ilogb ldexp lgamma log log2 log10 log1p
logb mad maxmag minmag nan nextafter pow pown powr remainder rint rootn round rsqrt sin sinh sinpi sqrt tan
tanh tanpi tgamma trunc half_cos half_divide half_exp half_exp2 half_exp10 half_log half_log2 half_log10
half_powr half_recip half_rsqrt half_sin half_sqrt half_tan native_cos native_divide native_exp native_exp2
native_exp10 native_log native_log2 native_log10 native_powr native_recip native_rsqrt native_sin
native_sqrt native_tan abs abs_diff add_sat hadd rhadd clamp clz ctz mad_hi mad_sat max min mul_hi rotate
sub_sat upsample popcount mad24 mul24 degrees mix radians step smoothstep sign bitselect
"""
ELEMENTWISE = frozenset(_ELEMENTWISE.split())

# Functions that cost many instructions.
_TRANSCENDENTAL = """
acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt cos cosh cospi erfc erf exp exp2
exp10 expm1 hypot lgamma log log2 log10 log1p pow pown powr rootn sin sinh sinpi tan tanh tanpi tgamma
"""
TRANSCENDENTAL = frozenset(_TRANSCENDENTAL.split())

# These return 1 for a true scalar and -1 in true components of a vector.
RELATIONAL = frozenset(
    (
        *("isequal", "isnotequal", "isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater"),
        *("isfinite", "isinf", "isnan", "isnormal", "isordered", "isunordered", "signbit"),
    )
)

_SIDE_EFFECTS = lazy_pattern(
    r"atomic_|atom_|write_image|printf|vstore|ndrange_|enqueue_|clock_read_"
    r"|(?:reserve_|commit_)?(?:read|write)_pipe|get_pipe_num_packets"
)
_COLLECTIVE = lazy_pattern(
    r"work_group_(?!barrier)|sub_group|get_sub_group|get_max_sub_group|get_num_sub_groups"
)
_READS = lazy_pattern(r"vload|read_image|get_image|get_work_dim")
CONVERSION = lazy_pattern(r"convert_(u?(?:char|short|int|long)|float|double|half)((?:_sat)?(?:_rt[ezpn])?)")
AS_TYPE = lazy_pattern(r"as_(u?(?:char|short|int|long)|float|double|half)")


def has_side_effects(name: str) -> bool:
    """Return whether each work-item must call the function, whatever the arguments."""
    return bool(_SIDE_EFFECTS.match(name))


def is_collective(name: str) -> bool:
    """Return whether all work-items of a group or sub-group take part in the call."""
    return bool(_COLLECTIVE.match(name))


def reads_memory(name: str) -> bool:
    """Return whether a call reads through a pointer or an image."""
    return bool(_READS.match(name))
