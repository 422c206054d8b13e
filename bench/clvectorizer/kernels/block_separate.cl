// BS: each work-item reads a block that overlaps with those of its neighbours.
#define SIZE 5

__kernel void block_separate(__global const float *in, __global float *out, int n)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int width = n + SIZE - 1;
    float sum = 0.0f;
    for (int j = 0; j < SIZE; j++)
        for (int i = 0; i < SIZE; i++)
            sum += in[(y + j) * width + x + i];
    out[y * n + x] = sum;
}
