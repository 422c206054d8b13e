// 2-D convolution: each work-item computes one pixel. The image has a margin of SIZE - 1.
#define SIZE 17

__kernel void convolution(__global const float *image, __constant float *filter, __global float *out, int n)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int width = n + SIZE - 1;
    float sum = 0.0f;
    for (int j = 0; j < SIZE; j++)
        for (int i = 0; i < SIZE; i++)
            sum += image[(y + j) * width + x + i] * filter[j * SIZE + i];
    out[y * n + x] = sum;
}
