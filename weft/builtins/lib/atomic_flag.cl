// atomic_flag: an atomic int that is zero when clear.
//! atomic_flag_test_and_set(atomic int*) atomic_flag_test_and_set_explicit(atomic int*, memory_order)
//! atomic_flag_test_and_set_explicit(atomic int*, memory_order, memory_scope)
//! atomic_flag_clear(atomic int*) atomic_flag_clear_explicit(atomic int*, memory_order)
//! atomic_flag_clear_explicit(atomic int*, memory_order, memory_scope)

FN bool weft_atomic_flag_test_and_set(volatile AS int *p) { return __atomic_exchange_n(p, 1, __ATOMIC_SEQ_CST) != 0; }
FN bool weft_atomic_flag_test_and_set_explicit(volatile AS int *p, memory_order order) {
    return weft_atomic_flag_test_and_set(p);
}
FN bool weft_atomic_flag_test_and_set_explicit(volatile AS int *p, memory_order order, memory_scope scope) {
    return weft_atomic_flag_test_and_set(p);
}
FN void weft_atomic_flag_clear(volatile AS int *p) { __atomic_store_n(p, 0, __ATOMIC_SEQ_CST); }
FN void weft_atomic_flag_clear_explicit(volatile AS int *p, memory_order order) { weft_atomic_flag_clear(p); }
FN void weft_atomic_flag_clear_explicit(volatile AS int *p, memory_order order, memory_scope scope) {
    weft_atomic_flag_clear(p);
}
