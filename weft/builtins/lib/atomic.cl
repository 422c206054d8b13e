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

// A work-group runs on one thread, so nothing comes between a load from local memory and the store that follows.
// Elsewhere these functions order nothing but their own location.
#define RELAXED __ATOMIC_RELAXED
#ifdef AS_IS_LOCAL
#define PLACE AS T *p
#define CHANGE(operation, value, changed) ({ T old = *p; *p = changed; old; })
#define IMPROVE(operation, better) CHANGE(, value, value better old ? value : old)
#else
#define PLACE volatile AS T *p
#define CHANGE(operation, value, changed) operation(p, value, RELAXED)
// What is no better is not stored, so that it costs a load: most neighbours of a node were reached before.
#define IMPROVE(operation, better)                                    \
    ({ T old = __atomic_load_n(p, RELAXED); value better old ? operation(p, value, RELAXED) : old; })
#endif
#define BOTH(name, parameters, result)                                \
    FN T weft_atomic_##name parameters { return result; }             \
    FN T weft_atom_##name parameters { return result; }

#ifdef T_IS_FLOAT
FN float weft_atomic_xchg(PLACE, float value) {
#ifdef AS_IS_LOCAL
    return CHANGE(, value, value);
#else
    return AS_TYPE(__atomic_exchange_n((volatile AS int *)p, AS_TYPE(value, int), RELAXED), float);
#endif
}
#else
FN T weft_compare_exchange(PLACE, T expected, T desired) {
#ifdef AS_IS_LOCAL
    return CHANGE(, desired, old == expected ? desired : old);
#else
    __atomic_compare_exchange_n(p, &expected, desired, 0, RELAXED, RELAXED);
    return expected;
#endif
}
BOTH(add, (PLACE, T value), CHANGE(__atomic_fetch_add, value, old + value))
BOTH(sub, (PLACE, T value), CHANGE(__atomic_fetch_sub, value, old - value))
BOTH(xchg, (PLACE, T value), CHANGE(__atomic_exchange_n, value, value))
BOTH(inc, (PLACE), CHANGE(__atomic_fetch_add, 1, old + 1))
BOTH(dec, (PLACE), CHANGE(__atomic_fetch_sub, 1, old - 1))
BOTH(min, (PLACE, T value), IMPROVE(__atomic_fetch_min, <))
BOTH(max, (PLACE, T value), IMPROVE(__atomic_fetch_max, >))
BOTH(and, (PLACE, T value), CHANGE(__atomic_fetch_and, value, old & value))
BOTH(or, (PLACE, T value), CHANGE(__atomic_fetch_or, value, old | value))
BOTH(xor, (PLACE, T value), CHANGE(__atomic_fetch_xor, value, old ^ value))
BOTH(cmpxchg, (PLACE, T expected, T desired), weft_compare_exchange(p, expected, desired))
#endif
#undef RELAXED
#undef PLACE
#undef CHANGE
#undef IMPROVE
#undef BOTH
