// Red-black successive over-relaxation: each work-item updates one point of a colour. Points of a colour lie in an
// array of their own, so the neighbours along x are the point at the same place of the other array and the one
// before or after it, by the row.
__kernel void red_black_sor(__global float *mine, __global const float *other, int n, int colour, float omega)
{
    int y = get_global_id(1) + 1;
    int at = y * (n + 2) + get_global_id(0) + 1;
    int side = ((y + colour) & 1) * 2 - 1;
    float around = other[at] + other[at + side] + other[at - n - 2] + other[at + n + 2];
    mine[at] = (1.0f - omega) * mine[at] + omega * 0.25f * around;
}
