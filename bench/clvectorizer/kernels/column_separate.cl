// CS: each work-item reads a column, beside those of its neighbours along x.
__kernel void column_separate(__global const float *in, __global float *out, int n)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[k * n + x];
    out[y * n + x] = sum;
}
