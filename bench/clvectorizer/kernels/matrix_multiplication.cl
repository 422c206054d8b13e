// Matrix multiplication: each work-item computes one element of the product.
__kernel void matrix_multiplication(__global const float *a, __global const float *b, __global float *c, int n)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
