// Powers of doubles and of vectors with constant exponents, in a loop of each work-item.
//! launch: 20 / 5
//! arg x: linspace(-2, 2, 20)
//! arg y: zeros((20, 2))
//! tolerance: 1e-14
//| y[:, 0] = 3 * (x**8 + x**-3)
//| y[:, 1] = 3 * (x**2 + x**-4)
kernel void powers(global const double *x, global double2 *y)
{
    size_t i = get_global_id(0);
    double2 sum = 0;
    for (int k = 0; k < 3; k++) {
        sum.x += pow(x[i], 8.0) + pow(x[i], -3.0);
        sum += (double2)(0, pown((double2)(1, x[i]), 2).y + pow((double2)(1, x[i]), -4.0).y);
    }
    y[i] = sum;
}
