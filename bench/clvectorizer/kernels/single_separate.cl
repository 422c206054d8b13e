// SS: each work-item reads one element of its own.
__kernel void single_separate(__global const float *in, __global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i] + 1.0f;
}
