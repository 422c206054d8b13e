"""The cost model: what is profitable on a target, by its cost table (`weft/target/costs`).

| decision | where | rows of the table |
|---|---|---|
| the cost of a loop, in lanes and scalar | `estimate.py`, `call_costs.py` | instructions, `loop_trips` |
| lanes or not, and how many | `choose_lanes.py` | `worth_lanes`, `tested_indices` |
| registers for a value | `estimate.interleaving` | `interleaved_lanes`, `temporaries` |
| a variant for a proved case | `Estimate.is_worth_variant_of` | `worth_variant` |
| strategies of divergent loops | `Estimate.strategies_to_try` | `lanes_win`, `serial_wins`, `crowded_share` |
| which loops have code several times | `code_size.py` | `loop_trips` |
| few work-items, unrolled | `few_work_items.py` | instructions |
| loops along rows, or lanes | `row_loops.py`, `estimate.py` | instructions |
| scatters, or scalar code | `scatters.py` | `scatter` |
| interchange with the work-item loop | `interchange.py` | `cache_line`, `carried_bytes` |

All are pure functions of a loop, the analyses of it, and the target, except for the budget of a kernel to
which code is charged (`code_size.CodeBudget`). The tile is chosen at the launch, by traits of the kernel
alone (`weft/tile_policy.py`).
"""
