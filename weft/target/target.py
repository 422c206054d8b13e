"""The description of a target processor."""

from weft.dataclasses import dataclass, replace

from .cost_table import Costs


@dataclass(frozen=True)
class Target:
    """A processor to generate code for.

    `cpu` and `features` use LLVM's names. `register_bits` and `vector_registers` describe the widest vector
    registers. `neutral_cpu` is a processor of the same architecture for which LLVM has no tuning preferences.
    `cycle_counter` is the intrinsic that reads a clock quickly, and `counter_fence` the one that keeps it
    from being read before earlier instructions; `clock_assembly` reads a clock in that order where LLVM has
    no intrinsic for it. `intrinsic_features` lists the target intrinsics that code may call: prefixes of
    their names, and the feature that each requires; `table_lookups` has those that look up lanes in a
    register of 16 floats and of 8 doubles. `register_tables`: functions are best computed with tables that
    fit into a register. `stores_truncated`: vectors can be stored with fewer bits per element, under a mask.
    `loads_parts`: a load can replace the lower 8 or 16 bits of a register and leave the others unchanged.
    `predicated_scatters`: LLVM's back end is correct only for scatters with an explicit number of lanes.
    `vector_scale`: the length of registers whose length LLVM does not know by itself, in multiples of 128
    bits; 0 if there are none or they are not used. `frame_alignment`: alignment in bytes of stack frames that
    contain spilled vector registers; 0 if that of the ABI suffices.
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
    frame_alignment: int = 0

    def lanes(self, bits: int) -> int:
        """Return the number of elements of the given bits in a vector register."""
        return self.register_bits // bits

    def has(self, feature: str) -> bool:
        """Return whether the processor has `feature`, in LLVM's name."""
        return f"+{feature}" in self.features.split(",")

    def has_intrinsic(self, name: str) -> bool:
        """Return whether the processor supports an intrinsic, named without `llvm.`."""
        return any(name.startswith(start) and self.has(f) for start, f in self.intrinsic_features)

    @property
    def neutral(self) -> "Target":
        """A processor of the same architecture for which LLVM has no tuning preferences."""
        return replace(self, cpu=self.neutral_cpu, features="")


def has_features(text: str) -> frozenset[str]:
    """Return the features that a list in LLVM's form enables."""
    return frozenset(feature[1:] for feature in text.split(",") if feature.startswith("+"))
