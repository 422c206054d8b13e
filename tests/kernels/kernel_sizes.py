"""The local sizes that kernels are tried with beside those of their launches, in one to three dimensions.

A kernel says in its file by `sizes` with which of them it works: `any`, or some with commas between. There
are as many groups as in its first launch. A kernel whose launches all have one dimension sees linear ids
where there are more: its file is written as if there were one, and so is its reference.
"""

from dataclasses import dataclass, replace
from math import prod

from kernel_case import KernelCase, Range, Sizes, parse_sizes

LOCAL_SIZES: tuple[Sizes, ...] = ((1,), (3,), (8,), (64,), (7, 5), (4, 4, 4), (1024,))

# In front of a kernel that is to see linear ids.
FLAT_IDS = """\
size_t flat(uint d, size_t x, size_t width, size_t y, size_t height, size_t z) {
    return d ? 0 : x + width * (y + height * z);
}
size_t volume(uint d, size_t width, size_t height, size_t depth) { return d ? 1 : width * height * depth; }
size_t flat_local_id(uint d) {
    return flat(d, get_local_id(0), get_local_size(0), get_local_id(1), get_local_size(1), get_local_id(2));
}
size_t flat_local_size(uint d) { return volume(d, get_local_size(0), get_local_size(1), get_local_size(2)); }
size_t flat_group_id(uint d) {
    return flat(d, get_group_id(0), get_num_groups(0), get_group_id(1), get_num_groups(1), get_group_id(2));
}
size_t flat_num_groups(uint d) { return volume(d, get_num_groups(0), get_num_groups(1), get_num_groups(2)); }
size_t flat_global_id(uint d) { return d ? 0 : flat_group_id(0) * flat_local_size(0) + flat_local_id(0); }
size_t flat_global_size(uint d) { return flat_num_groups(d) * flat_local_size(d); }
#define get_local_id flat_local_id
#define get_local_size flat_local_size
#define get_group_id flat_group_id
#define get_num_groups flat_num_groups
#define get_global_id flat_global_id
#define get_global_size flat_global_size
"""


@dataclass(frozen=True)
class SizedLaunch:
    """A launch of a case with another local size: how the reference sees it, and how it is run."""

    case: KernelCase
    seen: Range
    run: Range

    @property
    def text(self) -> str:
        return "x".join(map(str, self.run.local_size))

    @property
    def items(self) -> int:
        """The number of work-items in a group."""
        return prod(self.run.local_size)

    @property
    def runnable(self) -> KernelCase:
        """The case to be run."""
        if self.seen == self.run:
            return self.case
        return replace(self.case, source=FLAT_IDS + self.case.source)


def sized_launches(case: KernelCase) -> list[SizedLaunch]:
    """The launches with the local sizes that a case names."""
    sizes = LOCAL_SIZES if case.sizes == "any" else parse_sizes(case.sizes)
    return [sized_launch(case, size) for size in sizes]


def sized_launch(case: KernelCase, size: Sizes) -> SizedLaunch:
    """The launch of a case with a local size."""
    groups = case.launches[0].groups
    if len(size) == 1 or any(len(launch.local_size) > 1 for launch in case.launches):
        groups = (*groups, 1, 1)[: len(size)]
        launch = launch_of(groups, size)
        return SizedLaunch(case, launch, launch)
    (count,) = groups
    few = next(n for n in range(2, count + 1) if count % n == 0) if count > 1 else 1
    spread = (count // few, *(1,) * (len(size) - 2), few)
    return SizedLaunch(case, launch_of(groups, (prod(size),)), launch_of(spread, size))


def launch_of(groups: Sizes, size: Sizes) -> Range:
    """A launch of so many groups of a size."""
    whole = tuple(n * s for n, s in zip(groups, size, strict=True))
    return Range(f"{whole} / {size}", whole, size, (0,) * len(size))
