// Atomic functions of OpenCL 1.x on int and uint (and long and ulong, as the extensions have them).
//! types: int uint long ulong
//! widths: 1
//! atomic_add(T*, T) atomic_sub(T*, T) atomic_xchg(T*, T) atomic_inc(T*) atomic_dec(T*)
//! atomic_cmpxchg(T*, T, T) atomic_min(T*, T) atomic_max(T*, T)
//! atomic_and(T*, T) atomic_or(T*, T) atomic_xor(T*, T)
//! atom_add(T*, T) atom_sub(T*, T) atom_xchg(T*, T) atom_inc(T*) atom_dec(T*)
//! atom_cmpxchg(T*, T, T) atom_min(T*, T) atom_max(T*, T)
//! atom_and(T*, T) atom_or(T*, T) atom_xor(T*, T)
//! types: float
//! widths: 1
//! atomic_xchg(T*, T)

// These functions order nothing but their own location.
#define RELAXED __ATOMIC_RELAXED
#define BOTH(name, parameters, result)                                \
    FN T weft_atomic_##name parameters { return result; }             \
    FN T weft_atom_##name parameters { return result; }

#ifdef T_IS_FLOAT
FN float weft_atomic_xchg(volatile AS float *p, float value) {
    return AS_TYPE(__atomic_exchange_n((volatile AS int *)p, AS_TYPE(value, int), RELAXED), float);
}
#else
FN T weft_compare_exchange(volatile AS T *p, T expected, T desired) {
    __atomic_compare_exchange_n(p, &expected, desired, 0, RELAXED, RELAXED);
    return expected;
}
BOTH(add, (volatile AS T *p, T value), __atomic_fetch_add(p, value, RELAXED))
BOTH(sub, (volatile AS T *p, T value), __atomic_fetch_sub(p, value, RELAXED))
BOTH(xchg, (volatile AS T *p, T value), __atomic_exchange_n(p, value, RELAXED))
BOTH(inc, (volatile AS T *p), __atomic_fetch_add(p, 1, RELAXED))
BOTH(dec, (volatile AS T *p), __atomic_fetch_sub(p, 1, RELAXED))
BOTH(min, (volatile AS T *p, T value), __atomic_fetch_min(p, value, RELAXED))
BOTH(max, (volatile AS T *p, T value), __atomic_fetch_max(p, value, RELAXED))
BOTH(and, (volatile AS T *p, T value), __atomic_fetch_and(p, value, RELAXED))
BOTH(or, (volatile AS T *p, T value), __atomic_fetch_or(p, value, RELAXED))
BOTH(xor, (volatile AS T *p, T value), __atomic_fetch_xor(p, value, RELAXED))
BOTH(cmpxchg, (volatile AS T *p, T expected, T desired), weft_compare_exchange(p, expected, desired))
#endif
#undef RELAXED
#undef BOTH
