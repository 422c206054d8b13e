// NS: each work-item reads the elements at the left, at the right, above and below.
__kernel void neighbours_separate(__global const float *in, __global float *out, int n)
{
    int at = (get_global_id(1) + 1) * (n + 2) + get_global_id(0) + 1;
    out[at] = in[at - 1] + in[at + 1] + in[at - n - 2] + in[at + n + 2];
}
