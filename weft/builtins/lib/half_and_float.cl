// What functions of half that are computed in float take and give: weft_widen and weft_narrow.
//! once

#define DEFINE(n)                                                                                   \
    FN float##n weft_widen(half##n x) { return __builtin_convertvector(x, float##n); }              \
    FN half##n weft_narrow(float##n x) { return __builtin_convertvector(x, half##n); }              \
    FN int##n weft_narrow(int##n x) { return x; }
FN float weft_widen(half x) { return (float)x; }
FN half weft_narrow(float x) { return (half)x; }
FN int weft_narrow(int x) { return x; }
DEFINE(2)
DEFINE(3)
DEFINE(4)
DEFINE(8)
DEFINE(16)
#undef DEFINE
