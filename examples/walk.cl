// The kernel that docs/vectorizer.md follows from source to machine code: weft explain examples/walk.cl
kernel void walk(global const float4 *points, global const float *weight, global float *out, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float4 p = points[i];
    float r = p.x, sum = weight[2 * i];
    while (r < 4) {
        sum += exp(p.y * r);
        r = r * r + p.z;
    }
    out[i] = sum;
}
