"""The paper's two problem sets: kernel, access, input, and the paper's figures."""

from dataclasses import dataclass

from weft.analysis.consecutive import Prepared, prepared, relevant, without_pointer
from weft.compiler.build_program import compile_program
from weft.frontend.options import parse_options
from weft.smt.facts import Facts
from weft.smt.terms import Term

WIDTHS = (4, 8, 16)
ELEMENT = 4

WALSH = """
kernel void problem(global float *a, int step) {
    int tid = get_global_id(0);
    int group = tid % step;
    int pair = 2 * step * (tid / step) + group;
    int match = pair + step;
    a[match] = 0;
}
"""
BITONIC = """
kernel void problem(global float *keys, ulong a) {
    ulong tid = get_global_id(0);
    ulong distance = 1ul << a;
    ulong left = tid % distance + tid / distance * 2 * distance;
    keys[left + distance] = 0;
}
"""


@dataclass(frozen=True)
class Row:
    """A line of the paper's tables: inputs that are consecutive, that are not, time-outs, and CPU time."""

    yes: int
    no: int
    timeouts: int
    cpu: str


@dataclass(frozen=True)
class ProblemSet:
    """A kernel, the range of its input, and the paper's results without and with modulo elimination.

    `sets` describes the consecutive inputs, from the paper's table 5.
    """

    name: str
    source: str
    key: str
    low: int
    end: int
    plain: dict[int, Row]
    eliminated: dict[int, Row]
    sets: dict[int, str]

    def query(self, width: int) -> tuple[Term, Facts]:
        """Return the address of the access in bytes from the start of the array, and the facts about its
        inputs."""
        program = compile_program(self.source, parse_options(""))
        kernel: Prepared = prepared(program.kernels[0].text, program.kernels[0].info.name)
        terms = kernel.terms(width)
        (store,) = kernel.accesses()
        offset = without_pointer(kernel.address(store, terms).term)
        return offset, relevant(terms.facts, offset)


PROBLEMS = (
    ProblemSet(
        "FastWalshTransform",
        WALSH,
        "step",
        1,
        2**16,
        {
            4: Row(16_243, 48_931, 361, "14 h"),
            8: Row(7_694, 54_510, 3_331, "97 h"),
            16: Row(2_773, 52_468, 10_294, "256 h"),
        },
        {
            4: Row(16_383, 49_152, 0, "4 min"),
            8: Row(8_191, 57_344, 0, "5 min"),
            16: Row(4_095, 61_128, 312, "334 min"),
        },
        {4: "a ≡ 0 (mod 4)", 8: "a ≡ 0 (mod 8)", 16: "a ≡ 0 (mod 16), but for 312"},
    ),
    ProblemSet(
        "BitonicSort",
        BITONIC,
        "a",
        0,
        63,
        {4: Row(54, 2, 7, "8 min"), 8: Row(52, 3, 8, "16 min"), 16: Row(40, 4, 19, "41 min")},
        {4: Row(61, 2, 0, "0.7 s"), 8: Row(60, 3, 0, "1.5 s"), 16: Row(59, 4, 0, "3.7 s")},
        {4: "all but 0, 1", 8: "all but 0 … 2", 16: "all but 0 … 3"},
    ),
)
