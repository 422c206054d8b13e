// RF: each work-item reads a row, the same as its neighbours along x.
__kernel void row_focused(__global const float *in, __global float *out, int n)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[y * n + k];
    out[y * n + x] = sum;
}
