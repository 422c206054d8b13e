// Operations without units on any machine, computed with words: 64-bit division, conversions, rounding, doubles.
//
// `soften.py` determines which operation a function replaces. Doubles are represented by their bits. No function uses
// an operation that another one replaces.
//
// A number before rounding consists of a sign, a biased exponent and 63 bits, the highest of which is set; the lowest
// bit is set if any bit below it would be set ("jammed").

#define NAN64 0x7ff8000000000000ul
#define INF64 0x7ff0000000000000ul
#define NAN32 0x7fc00000u
#define INF32 0x7f800000u
#define SIGN64 0x8000000000000000ul
#define TOP 0x4000000000000000ul

typedef struct {
    ulong m;
    int e;
    uint sign;
} number;

static uint zeros(ulong x) {
    uint n = 0;
    if (!(x >> 32)) { n += 32; x <<= 32; }
    if (!(x >> 48)) { n += 16; x <<= 16; }
    if (!(x >> 56)) { n += 8; x <<= 8; }
    if (!(x >> 60)) { n += 4; x <<= 4; }
    if (!(x >> 62)) { n += 2; x <<= 2; }
    return x >> 63 ? n : n + 1;
}

static ulong jam(ulong m, int by) {
    if (by > 63) return m != 0;
    if (by <= 0) return m;
    return (m >> by) | ((m << (64 - by)) != 0);
}

static number normal(uint sign, int e, ulong m) {
    number made = {m, e, sign};
    if (m >> 63) {
        made.m = jam(m, 1);
        made.e++;
    } else if (m) {
        int by = (int)zeros(m) - 1;
        made.m = m << by;
        made.e -= by;
    }
    return made;
}

static ulong pack64(number x) {
    ulong sign = (ulong)x.sign << 63;
    if (!x.m) return sign;
    if (x.e >= 2047) return sign | INF64;
    ulong m = x.m;
    if (x.e <= 0) {
        m = jam(m, 1 - x.e);
        x.e = 1;
    }
    uint rest = (uint)m & 1023;
    m >>= 10;
    m += rest > 512 || (rest == 512 && (m & 1));
    return sign + ((ulong)(x.e - 1) << 52) + m;
}

static uint pack32(number x) {
    uint sign = x.sign << 31;
    if (!x.m) return sign;
    if (x.e >= 255) return sign | INF32;
    ulong m = x.m;
    if (x.e <= 0) {
        m = jam(m, 1 - x.e);
        x.e = 1;
    }
    ulong rest = m & 0x7ffffffffful, middle = 0x4000000000ul;
    uint made = (uint)(m >> 39);
    made += rest > middle || (rest == middle && (made & 1));
    return sign + ((uint)(x.e - 1) << 23) + made;
}

// A finite number; the mantissa of zero is 0.
static number unpack64(ulong x) {
    int e = (int)(x >> 52) & 2047;
    ulong m = x << 12 >> 12;
    return normal((uint)(x >> 63), e ? e : 1, (e ? m | 0x10000000000000ul : m) << 10);
}

static number unpack32(uint x) {
    int e = (int)(x >> 23) & 255;
    ulong m = x & 0x7fffff;
    return normal(x >> 31, e ? e : 1, (e ? m | 0x800000 : m) << 39);
}

static bool nan32(float x) { return (as_uint(x) << 1) > INF32 << 1; }
static bool inf32(float x) { return (as_uint(x) << 1) == INF32 << 1; }
static bool special64(ulong x) { return (x & INF64) == INF64; }
static bool nan64(ulong x) { return (x & ~SIGN64) > INF64; }

static number sum(number a, number b) {
    if (!a.m) return b;
    if (!b.m) return a;
    if (a.e < b.e || (a.e == b.e && a.m < b.m)) {
        number t = a;
        a = b;
        b = t;
    }
    ulong other = jam(b.m, a.e - b.e);
    if (a.sign == b.sign) return normal(a.sign, a.e, a.m + other);
    if (a.m == other) {
        number zero = {0, 0, 0};
        return zero;
    }
    return normal(a.sign, a.e, a.m - other);
}

static ulong high_product(ulong a, ulong b, bool *rest) {
    ulong al = (uint)a, ah = a >> 32, bl = (uint)b, bh = b >> 32;
    ulong low = al * bl, middle = ah * bl + (low >> 32), other = al * bh + (uint)middle;
    *rest = ((uint)low | (uint)other) != 0;
    return ah * bh + (middle >> 32) + (other >> 32);
}

static number product(number a, number b, int bias) {
    bool rest;
    ulong m = high_product(a.m, b.m << 1, &rest);
    number made = {0, 0, a.sign ^ b.sign};
    if (!a.m || !b.m) return made;
    // The last bit is far below the precision of the result.
    return normal(made.sign, a.e + b.e - bias + 1, m | rest);
}

static number quotient(number a, number b, int bias) {
    ulong q = 0, r = a.m;
    for (int n = 0; n < 63; n++) {
        q <<= 1;
        if (r >= b.m) {
            r -= b.m;
            q |= 1;
        }
        r <<= 1;
    }
    return normal(a.sign ^ b.sign, a.e - b.e + bias, q | (r != 0));
}

static number root(number a, int bias) {
    int e = a.e - bias;
    ulong m = a.m << (e & 1), rest = 0, r = 0;
    for (int n = 0; n < 56; n++) {
        rest = (rest << 2) | (m >> 62);
        m <<= 2;
        ulong t = (r << 2) | 1;
        r <<= 1;
        if (rest >= t) {
            rest -= t;
            r |= 1;
        }
    }
    return normal(0, (e >> 1) + bias, (r << 7) | (rest != 0));
}

ulong weft_soft_add64(ulong a, ulong b) {
    if (special64(a) || special64(b)) {
        if (nan64(a) || nan64(b) || (special64(a) && special64(b) && a != b)) return NAN64;
        return special64(a) ? a : b;
    }
    number x = unpack64(a), y = unpack64(b);
    if (!x.m && !y.m) return a & b;
    return pack64(sum(x, y));
}

ulong weft_soft_sub64(ulong a, ulong b) { return weft_soft_add64(a, b ^ SIGN64); }

ulong weft_soft_mul64(ulong a, ulong b) {
    ulong sign = (a ^ b) & SIGN64;
    if (special64(a) || special64(b)) {
        if (nan64(a) || nan64(b) || !(a << 1) || !(b << 1)) return NAN64;
        return sign | INF64;
    }
    return pack64(product(unpack64(a), unpack64(b), 1023));
}

ulong weft_soft_div64(ulong a, ulong b) {
    ulong sign = (a ^ b) & SIGN64;
    if (nan64(a) || nan64(b)) return NAN64;
    if (special64(a)) return special64(b) ? NAN64 : sign | INF64;
    if (special64(b)) return sign;
    if (!(b << 1)) return a << 1 ? sign | INF64 : NAN64;
    if (!(a << 1)) return sign;
    return pack64(quotient(unpack64(a), unpack64(b), 1023));
}

ulong weft_soft_sqrt64(ulong a) {
    if (nan64(a)) return NAN64;
    if (!(a << 1) || a == INF64) return a;
    if (a >> 63) return NAN64;
    return pack64(root(unpack64(a), 1023));
}

ulong weft_soft_widen(float a) {
    uint x = as_uint(a);
    ulong sign = (ulong)(x >> 31) << 63;
    if (nan32(a)) return sign | NAN64;
    if (inf32(a)) return sign | INF64;
    number n = unpack32(x);
    n.e += 1023 - 127;
    return pack64(n);
}

float weft_soft_narrow(ulong a) {
    uint sign = (uint)(a >> 63) << 31;
    if (nan64(a)) return as_float(sign | NAN32);
    if (special64(a)) return as_float(sign | INF32);
    number n = unpack64(a);
    n.e -= 1023 - 127;
    return as_float(pack32(n));
}

// The product is exact, so only the sum is rounded.
float weft_soft_fma32(float a, float b, float c) {
    if (nan32(a) || nan32(b) || nan32(c)) return as_float(NAN32);
    if (inf32(a) || inf32(b)) return a * b + c;
    if (inf32(c)) return c; // the exact product is finite, even if it exceeds a float
    number x = unpack32(as_uint(a)), y = unpack32(as_uint(b)), z = unpack32(as_uint(c));
    number p = product(x, y, 127);
    if (!p.m) return z.m ? c : as_float((p.sign & z.sign) << 31);
    return as_float(pack32(sum(p, z)));
}

int weft_soft_lt64(ulong a, ulong b) {
    if (nan64(a) || nan64(b) || !((a | b) << 1)) return 0;
    if ((a ^ b) >> 63) return (int)(a >> 63);
    return a >> 63 ? b < a : a < b;
}

int weft_soft_eq64(ulong a, ulong b) { return !nan64(a) && !nan64(b) && (a == b || !((a | b) << 1)); }

int weft_soft_le64(ulong a, ulong b) { return weft_soft_lt64(a, b) || weft_soft_eq64(a, b); }

int weft_soft_ord64(ulong a, ulong b) { return !nan64(a) && !nan64(b); }

float weft_soft_utof32(ulong x) {
    return as_float(pack32(normal(0, 127 + 62, x)));
}

float weft_soft_itof32(long x) {
    ulong sign = x >> 63;
    return as_float(pack32(normal((uint)sign & 1, 127 + 62, ((ulong)x ^ sign) - sign)));
}

ulong weft_soft_utof64(ulong x) { return pack64(normal(0, 1023 + 62, x)); }

ulong weft_soft_itof64(long x) {
    ulong sign = x >> 63;
    return pack64(normal((uint)sign & 1, 1023 + 62, ((ulong)x ^ sign) - sign));
}

static ulong whole(number x, int bias) {
    int by = 62 + bias - x.e;
    return by > 63 || !x.m ? 0 : by < 0 ? x.m << -by : x.m >> by;
}

static long to_signed(number x, int bias) {
    if (x.e >= bias + 63) return x.sign ? LONG_MIN : LONG_MAX;
    ulong found = whole(x, bias);
    return x.sign ? -found : found;
}

static ulong to_unsigned(number x, int bias) {
    if (x.sign) return 0;
    return x.e >= bias + 64 ? ULONG_MAX : whole(x, bias);
}

long weft_soft_ftoi32(float a) { return nan32(a) ? 0 : to_signed(unpack32(as_uint(a)), 127); }
ulong weft_soft_ftou32(float a) { return nan32(a) ? 0 : to_unsigned(unpack32(as_uint(a)), 127); }
long weft_soft_ftoi64(ulong a) { return nan64(a) ? 0 : to_signed(unpack64(a), 1023); }
ulong weft_soft_ftou64(ulong a) { return nan64(a) ? 0 : to_unsigned(unpack64(a), 1023); }

static uint trunc32(uint x) {
    int e = (int)(x >> 23 & 255) - 127;
    if (e < 0) return x & 0x80000000u;
    return e > 22 ? x : x & ~(0x7fffffu >> e);
}

float weft_soft_trunc32(float a) { return as_float(trunc32(as_uint(a))); }

float weft_soft_floor32(float a) {
    float t = as_float(trunc32(as_uint(a)));
    return t > a ? t - 1.0f : t;
}

float weft_soft_ceil32(float a) {
    float t = as_float(trunc32(as_uint(a)));
    return t < a ? as_float(as_uint(t + 1.0f) | (as_uint(a) & 0x80000000u)) : t;
}

float weft_soft_round32(float a) {
    uint x = as_uint(a);
    float t = as_float(trunc32(x)), rest = as_float(as_uint(a - t) & 0x7fffffffu);
    return rest >= 0.5f ? t + as_float(0x3f800000u | (x & 0x80000000u)) : t;
}

float weft_soft_rint32(float a) {
    uint x = as_uint(a), size = x & 0x7fffffffu;
    if (size >= 0x4b000000u) return a;
    float r = as_float(size) + 8388608.0f;
    return as_float(as_uint(r - 8388608.0f) | (x & 0x80000000u));
}

ulong weft_soft_trunc64(ulong x) {
    int e = (int)(x >> 52 & 2047) - 1023;
    if (e < 0) return x & SIGN64;
    return e > 51 ? x : x & ~(0xffffffffffffful >> e);
}

ulong weft_soft_floor64(ulong a) {
    ulong t = weft_soft_trunc64(a);
    return weft_soft_lt64(a, t) ? weft_soft_sub64(t, 0x3ff0000000000000ul) : t;
}

ulong weft_soft_ceil64(ulong a) {
    ulong t = weft_soft_trunc64(a);
    return weft_soft_lt64(t, a) ? weft_soft_add64(t, 0x3ff0000000000000ul) | (a & SIGN64) : t;
}

ulong weft_soft_round64(ulong a) {
    ulong t = weft_soft_trunc64(a), rest = weft_soft_sub64(a, t) & ~SIGN64, sign = a & SIGN64;
    return weft_soft_le64(0x3fe0000000000000ul, rest) ? weft_soft_add64(t, 0x3ff0000000000000ul | sign) : t;
}

ulong weft_soft_rint64(ulong a) {
    ulong size = a & ~SIGN64, large = 0x4330000000000000ul;
    if (size >= large) return a;
    return weft_soft_sub64(weft_soft_add64(size, large), large) | (a & SIGN64);
}

// Long division, one bit per iteration.
static ulong divided(ulong n, ulong d, ulong *rest) {
    if (!((n | d) >> 32)) {
        *rest = (uint)n % (uint)d;
        return (uint)n / (uint)d;
    }
    ulong r = 0;
    for (int k = 0; k < 64; k++) {
        bool over = r >> 63;
        r = (r << 1) | (n >> 63);
        n <<= 1;
        if (over || r >= d) {
            r -= d;
            n |= 1;
        }
    }
    *rest = r;
    return n;
}

ulong weft_soft_udiv64(ulong n, ulong d) {
    ulong rest;
    return divided(n, d, &rest);
}

ulong weft_soft_urem64(ulong n, ulong d) {
    ulong rest;
    divided(n, d, &rest);
    return rest;
}

static ulong size_of(long x) { return ((ulong)x ^ (ulong)(x >> 63)) - (ulong)(x >> 63); }

long weft_soft_sdiv64(long n, long d) {
    ulong sign = (n ^ d) >> 63;
    return (weft_soft_udiv64(size_of(n), size_of(d)) ^ sign) - sign;
}

long weft_soft_srem64(long n, long d) {
    ulong sign = n >> 63;
    return (weft_soft_urem64(size_of(n), size_of(d)) ^ sign) - sign;
}
