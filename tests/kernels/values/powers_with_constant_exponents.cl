// Powers with constant exponents are products; zeros, infinities, NaNs and extreme numbers give what pow, pown
// and powr of a variable exponent would give.
//! launch: 24 / 8
//! arg x: np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2.5, -2.5, 1e-40, -1e-40, 3e38, -3e38, 2e12, 2e-13, 1e19, 1e-19, 7, -7, 0.1, -0.1, 1e-45, 1e25, 5e-25], np.float32)
//! arg y: zeros((13, 24), float32)
//! arg negative: zeros((13, 24), int32)
//! tolerance: 1e-6
//| with np.errstate(all="ignore"):
//|     wide = x.astype(float64)
//|     # Arrays of exponents: numpy takes a square root for a single exponent of 0.5.
//|     pow = lambda e: np.power(wide, np.full(24, float(e)))
//|     powr = lambda e: np.where(x < 0, np.nan, np.abs(wide) ** e)
//|     y[:10] = [pow(e) for e in (0, 1, 2, 7, -1, -3, 0.5, 1.5, -0.5, -2.5)]
//|     y[10:] = [powr(3), powr(-1.5), pow(5)]
//| negative[:] = np.signbit(y) & ~np.isnan(y)
void keep(global float *y, global int *negative, int row, float value)
{
    int i = 24 * row + (int)get_global_id(0);
    y[i] = value;
    negative[i] = signbit(value) && !isnan(value);
}

kernel void powers(global const float *x, global float *y, global int *negative)
{
    float v = x[get_global_id(0)];
    keep(y, negative, 0, pow(v, 0.0f));
    keep(y, negative, 1, pown(v, 1));
    keep(y, negative, 2, pow(v, 2.0f));
    keep(y, negative, 3, pown(v, 7));
    keep(y, negative, 4, pow(v, -1.0f));
    keep(y, negative, 5, pown(v, -3));
    keep(y, negative, 6, pow(v, 0.5f));
    keep(y, negative, 7, pow(v, 1.5f));
    keep(y, negative, 8, pow(v, -0.5f));
    keep(y, negative, 9, pow(v, -2.5f));
    keep(y, negative, 10, powr(v, 3.0f));
    keep(y, negative, 11, powr(v, -1.5f));
    keep(y, negative, 12, pow((float2)(v, 1.0f), 5.0f).x);
}
