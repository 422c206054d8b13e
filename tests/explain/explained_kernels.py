"""Programs whose explanations the tests know, and helpers to get at them."""

from weft.explain.explain import explain
from weft.explain.report import Kernel

# The structure of DCT (the pocl paper's Fig. 9): two inner loops, a helper function and a barrier.
DCT = """\
uint getIdx(uint blockIdx, uint blockIdy, uint localIdx, uint localIdy, uint blockWidth, uint globalWidth)
{
    uint globalIdx = blockIdx * blockWidth + localIdx;
    uint globalIdy = blockIdy * blockWidth + localIdy;
    return globalIdy * globalWidth + globalIdx;
}

kernel void DCT(global float *output, global float *input, global float *dct8x8, local float *inter,
                const uint width, const uint blockWidth, const uint inverse)
{
    uint globalIdx = get_global_id(0);
    uint globalIdy = get_global_id(1);
    uint groupIdx = get_group_id(0);
    uint groupIdy = get_group_id(1);
    uint i = get_local_id(0);
    uint j = get_local_id(1);
    uint idx = globalIdy * width + globalIdx;

    float acc = 0.0f;
    for (uint k = 0; k < blockWidth; k++) {
        uint index1 = (inverse) ? i * blockWidth + k : k * blockWidth + i;
        uint index2 = getIdx(groupIdx, groupIdy, j, k, blockWidth, width);
        acc += dct8x8[index1] * input[index2];
    }
    inter[j * blockWidth + i] = acc;

    barrier(CLK_LOCAL_MEM_FENCE);

    acc = 0.0f;
    for (uint k = 0; k < blockWidth; k++) {
        uint index1 = i * blockWidth + k;
        uint index2 = (inverse) ? j * blockWidth + k : k * blockWidth + j;
        acc += inter[index1] * dct8x8[index2];
    }
    output[idx] = acc;
}
"""

CONDITIONAL = """\
kernel void conditional(global int *a, int n) {
    local int t[64];
    int l = get_local_id(0);
    int v = a[get_global_id(0)];
    t[l] = v;
    if (n > 3) {
        barrier(CLK_LOCAL_MEM_FENCE);
        v += t[63 - l];
    }
    a[get_global_id(0)] = v * 2;
}
"""

SHAPES = """\
kernel void shapes(global float *a, global const float *b, global const int *index, constant float *table,
                   int n) {
    size_t i = get_global_id(0);
    a[i] = b[3 * i]
         + b[n]
         + b[index[i]]
         + table[get_group_id(0)];
}
"""


def explained(source: str, **wanted: object) -> Kernel:
    """The explanation of the only kernel of a program."""
    report = explain(source, **wanted)  # type: ignore[arg-type]
    assert not report.failed, report.error or report.kernels[0].error
    (kernel,) = report.kernels
    return kernel
