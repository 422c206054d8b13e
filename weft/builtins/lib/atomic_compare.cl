// Atomic compare and exchange of OpenCL C 2.0 and later, strong and weak alike.
//! types: int uint long ulong
//! widths: 1
//! atomic_compare_exchange_strong(atomic T*, T*, T) atomic_compare_exchange_strong_explicit(atomic T*, T*, T, memory_order, memory_order)
//! atomic_compare_exchange_strong_explicit(atomic T*, T*, T, memory_order, memory_order, memory_scope)
//! atomic_compare_exchange_weak(atomic T*, T*, T) atomic_compare_exchange_weak_explicit(atomic T*, T*, T, memory_order, memory_order)
//! atomic_compare_exchange_weak_explicit(atomic T*, T*, T, memory_order, memory_order, memory_scope)

FN bool weft_compare_exchange(volatile AS T *p, AS1 T *expected, T desired) {
    T found = *expected;
#ifdef AS_IS_LOCAL
    // A work-group runs on one thread: nothing comes in between.
    T old = *(AS T *)p;
    bool done = old == found;
    *(AS T *)p = done ? desired : old;
    found = old;
#else
    bool done = __atomic_compare_exchange_n(p, &found, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
#endif
    *expected = found;
    return done;
}

#define PARAMETERS volatile AS T *p, AS1 T *expected, T desired
#define ORDERS memory_order success, memory_order failure
#define FORMS(name)                                                                                       \
    FN bool weft_atomic_##name(PARAMETERS) { return weft_compare_exchange(p, expected, desired); }        \
    FN bool weft_atomic_##name##_explicit(PARAMETERS, ORDERS) {                                           \
        return weft_compare_exchange(p, expected, desired);                                               \
    }                                                                                                     \
    FN bool weft_atomic_##name##_explicit(PARAMETERS, ORDERS, memory_scope scope) {                       \
        return weft_compare_exchange(p, expected, desired);                                               \
    }
FORMS(compare_exchange_strong)
FORMS(compare_exchange_weak)
#undef PARAMETERS
#undef ORDERS
#undef FORMS
