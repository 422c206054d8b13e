"""The description of a target processor."""

from weft.dataclasses import dataclass, replace

from .cost_table import Costs


@dataclass(frozen=True)
class Target:
    """A processor to generate code for.

    `cpu` and `features` are LLVM's words. `register_bits` and `vector_registers` describe the widest vector
    registers. `neutral_cpu` is a processor of the same architecture of which LLVM knows nothing that favours
    some code, `cycle_counter` the intrinsic that reads a clock quickly, and `counter_fence`
    the one that keeps it from being read before earlier instructions; `clock_assembly` reads a clock in that
    order where LLVM has no intrinsic for it. `intrinsic_features` are the
    processor's own intrinsics that code may call: beginnings of their names, and the feature of each;
    `table_lookups` those that look lanes up in a register of 16 floats and of 8 doubles. `register_tables`:
    functions are best computed by tables that fit into a register. `stores_truncated`: vectors can be stored
    with fewer bits for each element, under a mask. `loads_parts`: a load can replace the lower 8 or 16 bits
    of a register and leave the others. `predicated_scatters`: LLVM's back end is right only about scatters
    that are told their number of lanes. `vector_scale`: of registers whose length LLVM does not know by
    itself, how many times 128 bits they have; 0 if there are none or they are not used.
    """

    triple: str
    cpu: str
    features: str
    data_layout: str
    register_bits: int
    vector_registers: int
    masked_accesses: bool
    gathers: bool
    scatters: bool
    register_tables: bool
    fast_fma: bool
    neutral_cpu: str
    cycle_counter: str
    costs: Costs
    intrinsic_features: tuple[tuple[str, str], ...] = ()
    table_lookups: tuple[str, ...] = ()
    counter_fence: str = ""
    clock_assembly: str = ""
    stores_truncated: bool = False
    loads_parts: bool = False
    predicated_scatters: bool = False
    vector_scale: int = 0

    def lanes(self, bits: int) -> int:
        """The number of elements of the given bits in a vector register."""
        return self.register_bits // bits

    def has(self, feature: str) -> bool:
        """Whether the processor has `feature`, by LLVM's name."""
        return f"+{feature}" in self.features.split(",")

    def has_intrinsic(self, name: str) -> bool:
        """Whether the processor has the instruction of an intrinsic, named without `llvm.`."""
        return any(name.startswith(start) and self.has(f) for start, f in self.intrinsic_features)

    @property
    def neutral(self) -> "Target":
        """A processor of the same architecture of which LLVM knows nothing that favours some code."""
        return replace(self, cpu=self.neutral_cpu, features="")


def has_features(text: str) -> frozenset[str]:
    """The features that a list in LLVM's form says are there."""
    return frozenset(feature[1:] for feature in text.split(",") if feature.startswith("+"))
