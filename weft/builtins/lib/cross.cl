// cross: of the first three components; a fourth one is zero.
//! open
//! not lane by lane
//! types: floats
//! widths: 3 4
//! cross(T, T)

#if N == 3
FN T weft_cross(T x, T y) { return x.yzx * y.zxy - x.zxy * y.yzx; }
#elif N == 4
FN T weft_cross(T x, T y) {
    T result = x.yzxw * y.zxyw - x.zxyw * y.yzxw;
    result.w = 0;
    return result;
}
#endif
