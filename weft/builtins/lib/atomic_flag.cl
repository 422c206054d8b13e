// atomic_flag: an atomic int that is zero when clear.
//! atomic_flag_test_and_set(atomic int*) atomic_flag_test_and_set_explicit(atomic int*, memory_order)
//! atomic_flag_test_and_set_explicit(atomic int*, memory_order, memory_scope)
//! atomic_flag_clear(atomic int*) atomic_flag_clear_explicit(atomic int*, memory_order)
//! atomic_flag_clear_explicit(atomic int*, memory_order, memory_scope)

#ifdef AS_IS_LOCAL
// A work-group runs on one thread: nothing comes between the load and the store.
FN bool weft_atomic_flag_test_and_set(AS int *p) { return ({ int old = *p; *p = 1; old; }) != 0; }
FN void weft_atomic_flag_clear(AS int *p) { *p = 0; }
#define PLACE AS int *p
#else
FN bool weft_atomic_flag_test_and_set(volatile AS int *p) { return __atomic_exchange_n(p, 1, __ATOMIC_SEQ_CST) != 0; }
FN void weft_atomic_flag_clear(volatile AS int *p) { __atomic_store_n(p, 0, __ATOMIC_SEQ_CST); }
#define PLACE volatile AS int *p
#endif
FN bool weft_atomic_flag_test_and_set_explicit(PLACE, memory_order order) {
    return weft_atomic_flag_test_and_set(p);
}
FN bool weft_atomic_flag_test_and_set_explicit(PLACE, memory_order order, memory_scope scope) {
    return weft_atomic_flag_test_and_set(p);
}
FN void weft_atomic_flag_clear_explicit(PLACE, memory_order order) { weft_atomic_flag_clear(p); }
FN void weft_atomic_flag_clear_explicit(PLACE, memory_order order, memory_scope scope) {
    weft_atomic_flag_clear(p);
}
#undef PLACE
