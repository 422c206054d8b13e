// asin and acos: a polynomial up to 1/2; beyond, by asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).
//! types: floats
//! asin(T) acos(T) asinpi(T) acospi(T)

#if T_SIZE == 4
#define PI_2 0x1.921fb6p+0f
#define PI_2_LOW -0x1.777a5cp-25f
#define ONE_OVER_PI 0x1.45f306p-2f
#else
#define PI_2 0x1.921fb54442d18p+0
#define PI_2_LOW 0x1.1a62633145c07p-54
#define ONE_OVER_PI 0x1.45f306dc9c883p-2
#endif

// asin of |x| or of the root, with *far telling which.
FN T weft_asin_parts(T x, __private I *far) {
    T magnitude = FABS(x);
    *far = magnitude > (T)(0.5f);
    T halved = ((T)(1) - magnitude) * (T)(0.5f);
    T square = *far ? halved : x * x;
    T z = *far ? SQRT(halved) : magnitude;
#if T_SIZE == 4
    T p = POLY4(square, 0x1.5555c8p-3f, 0x1.3301e2p-4f, 0x1.747e86p-5f, 0x1.8c25c4p-6f, 0x1.596f64p-5f);
#else
    T p = POLY12(square, 0x1.5555555555577p-3, 0x1.333333332e0f6p-4, 0x1.6db6db7214b5fp-5, 0x1.f1c71a942feb4p-6,
                 0x1.6e8bdef3d6bbap-6, 0x1.1c49ef143480cp-6, 0x1.ca1faaa84e958p-7, 0x1.7584a4044842p-7,
                 0x1.61416bb46428fp-7, 0x1.e5adb7f9d13b9p-9, 0x1.63b1dd895260fp-6, -0x1.581b5603abd28p-6,
                 0x1.0b4ff6ba5bacfp-5);
#endif
    return MAD(z * square, p, z);
}

FN T weft_asin(T x) {
    I far;
    T s = weft_asin_parts(x, &far);
    T beyond = (T)(PI_2) - (s + s - (T)(PI_2_LOW));
    return COPYSIGN(far ? beyond : s, x);
}

FN T weft_acos(T x) {
    I far;
    T s = weft_asin_parts(x, &far);
    T near = (T)(PI_2) - (COPYSIGN(s, x) - (T)(PI_2_LOW));
    T beyond = x < (T)(0) ? (T)(2 * PI_2) - (s + s - (T)(2 * PI_2_LOW)) : s + s;
    return far ? beyond : near;
}

FN T weft_asinpi(T x) { return weft_asin(x) * (T)(ONE_OVER_PI); }
FN T weft_acospi(T x) { return weft_acos(x) * (T)(ONE_OVER_PI); }
#undef PI_2
#undef PI_2_LOW
#undef ONE_OVER_PI
