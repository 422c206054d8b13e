"""What is put to the prover when a kernel has more addresses than the prover is asked about."""

import pytest
from watched_pass import result_of

from weft import ir
from weft.analysis.memory_effects import base_of
from weft.ir import Argument
from weft.ir.types import VectorType
from weft.transform.simd.proved_cases import MOST_ADDRESSES, ProofBudget

GATHERS = "".join(f"x += table[at[i * {k + 2} + {k}]];" for k in range(ProofBudget.left + 2))


def kernel(gathers: str, accesses: str) -> str:
    """A private array that is used on both sides of a barrier, after some gathers."""
    return f"""
kernel void k(global const int *at, global const float *table, global float *out, int n) {{
    int i = get_global_id(0);
    float v[40], x = 0.0f;
    {gathers}
    for (int j = 0; j < n; j++) v[j] = x + j;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < n; j++) {{ {accesses} }}
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < n; j++) x = x * 3.0f + v[j];
    out[i] = x;
}}
"""


@pytest.mark.parametrize("gathers", ["", GATHERS], ids=["alone", "after ten gathers"])
@pytest.mark.parametrize("accesses", [1, MOST_ADDRESSES + 8], ids="{} accesses".format)
def test_private_arrays_across_barriers_are_accessed_by_vectors(gathers: str, accesses: int) -> None:
    body = "".join(f"v[j + {k}] += v[n - j] * {k + 1}.5f;" for k in range(accesses))
    _, text = result_of("vectorize-work-items", kernel(gathers, body), 16, 64)
    function = next(f for f in ir.parse(text).functions if not f.is_declaration)
    wide = {"load": 0, "store": 0}
    for i in function.instructions():
        if i.opcode in wide and isinstance(i.accessed_type, VectorType):
            root = base_of(i.operands[-1])
            wide[i.opcode] += isinstance(root, Argument) and root.index == 3
    assert wide["load"] >= accesses + 1 and wide["store"] >= accesses + 1
    spread = [i for i in function.instructions() if "masked.scatter" in i.callee_name]
    assert not spread
    gathered = [i for i in function.instructions() if "masked.gather" in i.callee_name]
    assert bool(gathered) == bool(gathers)
