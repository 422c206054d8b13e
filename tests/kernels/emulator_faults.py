"""Kernels that a device in an emulator cannot run, through no fault of Weft's code.

qemu 7.2 ends when it translates a vector conversion to integers (`vfncvt.rtz`, `vfcvt.rtz`) that follows
`vsetvli`: `decode_save_opc: Assertion 'ctx->insn_start != NULL' failed`.
Divisions of integers in lanes are made of such conversions.

LLVM 22's back end for RISC-V makes a shuffle of a scatter to constant places of one vector, and takes the
permutation for its inverse.
"""

_CONVERSION = "qemu 7.2 ends at a vector conversion to integers"
_SCATTER = "LLVM inverts a scatter to constant places"

EMULATOR_FAULTS: dict[tuple[str, str], str] = {
    **{
        ("riscv64", name): _CONVERSION
        for name in (
            "algorithms/bitonic_sort",
            "conditional/return_before_loop_with_barriers",
            "control/tail_recursion",
            "divergent/begins_with_a_remainder",
            "divergent/in_line_around_zero",
            "divergent/largest_in_window",
            "divergent/ragged_rows",
            "local/automatic_and_argument",
            "loops/constant_trip_count",
            "private/columns_across_barrier",
            "simd/divisions",
            "simd/neighbours_around",
            "simd/pairs_at_a_distance",
            "simd/pairs_by_quarters",
            "simd/pairs_looked_up",
            "simd/rows_by_division",
            "values/conversions_out_of_range",
            "values/division_guards",
            "values/half_arithmetic",
        )
    },
    ("riscv64", "barriers/work_group_barrier"): _SCATTER,
}
