"""Kernels whose work-items were merged do what they did before."""

import copy

import pytest
from kernel_case import FOLDER, load
from kernel_ways import WAYS
from rewritten_case import fits, merged_launch, rewritten, with_source

# One kernel for each way of writing statements, and the factor that it is rewritten with.
CASES = [
    ("algorithms/mandelbrot", 4),
    ("algorithms/matrix_product_tiled", 8),
    ("algorithms/stream_compaction", 2),
    ("barriers/neighbour_exchange", 4),
    ("conditional/early_return", 4),
    ("conditional/short_circuit", 2),
    ("control/switch_divergent", 4),
    ("divergent/atomics_and_private_arrays", 2),
    ("loops/carried_values", 8),
    ("simd/clamped_neighbours", 4),
    ("simd/float4_split_and_joined", 4),
    ("values/every_scalar_type", 2),
]


@pytest.mark.parametrize(("name", "factor"), CASES, ids=[name for name, _ in CASES])
def test_result_is_that_of_the_original(name: str, factor: int) -> None:
    case = load(FOLDER / f"{name}.cl")
    new = rewritten(case, inter=factor)
    (merged,) = new.merged
    ran = 0
    for launch in case.launches:
        if not fits(launch, factor, merged.of_groups):
            continue
        arguments = case.make_arguments(launch)
        expected = copy.deepcopy(arguments)
        case.apply_reference(launch, expected)
        if merged.items:
            arguments[merged.items] = launch.global_size[0] + launch.offset[0]
        way = WAYS["specialized-loops-O0"]
        found = way(with_source(case, new.text), merged_launch(launch, factor, merged.of_groups), arguments)
        case.compare(expected, found)
        ran += 1
    assert ran, "no launch of the file has sizes that fit"


def test_each_work_item_reserves_packets_of_its_own() -> None:
    case = with_source(
        load(FOLDER / "pipes/from_one_to_another.cl"),
        """
        kernel void k(read_only pipe int in, write_only pipe int out, global int *seen, global int *counts) {
            reserve_id_t id = reserve_read_pipe(in, 1);
            seen[get_global_id(0) % 40] = get_global_id(0);
            atomic_add(&counts[0], is_valid_reserve_id(id));
            commit_read_pipe(in, id);
        }
        """,
    )
    new = rewritten(case, inter=4)
    (merged,) = new.merged
    launch = case.launches[0]
    arguments = case.make_arguments(launch)
    if merged.items:
        arguments[merged.items] = launch.global_size[0]
    way = WAYS["specialized-loops-O0"]
    found = way(with_source(case, new.text), merged_launch(launch, 4, merged.of_groups), arguments)
    assert launch.global_size == (64,)
    assert found["counts"][0] == 40  # the packets that there are
