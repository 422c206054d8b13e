// Each work-item walks a row of its own.
__kernel void row_major(__global const float *in, __global float *out, int n)
{
    int x = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[x * n + k];
    out[x] = sum;
}
