// Atomic functions of OpenCL C 2.0 and later. Read-modify-write instructions of the host order everything in any
// case, so the strongest order is asked for; only stores have a cheaper form. A work-group runs on one thread, so
// local memory needs plain loads and stores only.
//! types: int uint long ulong
//! widths: 1
//! atomic_fetch_add(atomic T*, T) atomic_fetch_add_explicit(atomic T*, T, memory_order)
//! atomic_fetch_add_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_fetch_sub(atomic T*, T) atomic_fetch_sub_explicit(atomic T*, T, memory_order)
//! atomic_fetch_sub_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_fetch_or(atomic T*, T) atomic_fetch_or_explicit(atomic T*, T, memory_order)
//! atomic_fetch_or_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_fetch_xor(atomic T*, T) atomic_fetch_xor_explicit(atomic T*, T, memory_order)
//! atomic_fetch_xor_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_fetch_and(atomic T*, T) atomic_fetch_and_explicit(atomic T*, T, memory_order)
//! atomic_fetch_and_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_fetch_min(atomic T*, T) atomic_fetch_min_explicit(atomic T*, T, memory_order)
//! atomic_fetch_min_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_fetch_max(atomic T*, T) atomic_fetch_max_explicit(atomic T*, T, memory_order)
//! atomic_fetch_max_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_exchange(atomic T*, T) atomic_exchange_explicit(atomic T*, T, memory_order)
//! atomic_exchange_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_store(atomic T*, T) atomic_store_explicit(atomic T*, T, memory_order)
//! atomic_store_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_load(atomic T*) atomic_load_explicit(atomic T*, memory_order)
//! atomic_load_explicit(atomic T*, memory_order, memory_scope)
//! atomic_init(atomic T*, T)
// What is added to an atomic_uintptr_t is a ptrdiff_t.
//! types: ulong
//! widths: 1
//! atomic_fetch_add(atomic T*, I) atomic_fetch_add_explicit(atomic T*, I, memory_order)
//! atomic_fetch_add_explicit(atomic T*, I, memory_order, memory_scope)
//! atomic_fetch_sub(atomic T*, I) atomic_fetch_sub_explicit(atomic T*, I, memory_order)
//! atomic_fetch_sub_explicit(atomic T*, I, memory_order, memory_scope)
//! types: reals
//! widths: 1
//! atomic_fetch_add(atomic T*, T) atomic_fetch_add_explicit(atomic T*, T, memory_order)
//! atomic_fetch_add_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_fetch_sub(atomic T*, T) atomic_fetch_sub_explicit(atomic T*, T, memory_order)
//! atomic_fetch_sub_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_fetch_min(atomic T*, T) atomic_fetch_min_explicit(atomic T*, T, memory_order)
//! atomic_fetch_min_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_fetch_max(atomic T*, T) atomic_fetch_max_explicit(atomic T*, T, memory_order)
//! atomic_fetch_max_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_exchange(atomic T*, T) atomic_exchange_explicit(atomic T*, T, memory_order)
//! atomic_exchange_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_store(atomic T*, T) atomic_store_explicit(atomic T*, T, memory_order)
//! atomic_store_explicit(atomic T*, T, memory_order, memory_scope)
//! atomic_load(atomic T*) atomic_load_explicit(atomic T*, memory_order)
//! atomic_load_explicit(atomic T*, memory_order, memory_scope)
//! atomic_init(atomic T*, T)
// clang declares these with an atomic_half as the value.
//! types: half
//! widths: 1
//! atomic_store(atomic T*, atomic T) atomic_store_explicit(atomic T*, atomic T, memory_order)
//! atomic_store_explicit(atomic T*, atomic T, memory_order, memory_scope)

#define SEQUENTIAL __ATOMIC_SEQ_CST
#ifdef AS_IS_LOCAL
#define POINTER AS T *p
#define CHANGE(operation, changed) return ({ T old = *p; *p = changed; old; })
#else
#define POINTER volatile AS T *p
#define CHANGE(operation, changed) return operation(p, value, SEQUENTIAL)
#endif
#define POINTER_AND_VALUE POINTER, T value
// One operation in its three forms; `order` is what the form was given.
#define FORMS(type, name, parameters, action)                                                             \
    FN type weft_atomic_##name(parameters) { const memory_order order = SEQUENTIAL; action; }             \
    FN type weft_atomic_##name##_explicit(parameters, memory_order order) { action; }                     \
    FN type weft_atomic_##name##_explicit(parameters, memory_order order, memory_scope scope) { action; }

#ifdef AS_IS_LOCAL
FORMS(void, store, POINTER_AND_VALUE, *p = value)
FORMS(T, load, POINTER, return *p)
FORMS(T, exchange, POINTER_AND_VALUE, CHANGE(, value))
#else
// Floating-point numbers travel as the integers of their bits.
#define BITS(p) ((volatile AS I1 *)(p))

FN void weft_store(volatile AS T *p, T value, memory_order order) {
    if (order == SEQUENTIAL)
        __atomic_store_n(BITS(p), AS_TYPE(value, I1), SEQUENTIAL);
    else
        __atomic_store_n(BITS(p), AS_TYPE(value, I1), __ATOMIC_RELEASE);
}

FORMS(void, store, POINTER_AND_VALUE, weft_store(p, value, order))
FORMS(T, load, POINTER, return AS_TYPE(__atomic_load_n(BITS(p), SEQUENTIAL), T))
FORMS(T, exchange, POINTER_AND_VALUE,
      return AS_TYPE(__atomic_exchange_n(BITS(p), AS_TYPE(value, I1), SEQUENTIAL), T))
#undef BITS
#endif
FN void weft_atomic_init(volatile AS T *p, T value) { *p = value; }

FORMS(T, fetch_add, POINTER_AND_VALUE, CHANGE(__atomic_fetch_add, old + value))
FORMS(T, fetch_sub, POINTER_AND_VALUE, CHANGE(__atomic_fetch_sub, old - value))
#ifdef T_IS_FLOATING
// As fmin and fmax: what is no number gives way.
FORMS(T, fetch_min, POINTER_AND_VALUE, CHANGE(__atomic_fetch_min, old < value || value != value ? old : value))
FORMS(T, fetch_max, POINTER_AND_VALUE, CHANGE(__atomic_fetch_max, old > value || value != value ? old : value))
#else
FORMS(T, fetch_or, POINTER_AND_VALUE, CHANGE(__atomic_fetch_or, old | value))
FORMS(T, fetch_xor, POINTER_AND_VALUE, CHANGE(__atomic_fetch_xor, old ^ value))
FORMS(T, fetch_and, POINTER_AND_VALUE, CHANGE(__atomic_fetch_and, old & value))
FORMS(T, fetch_min, POINTER_AND_VALUE, CHANGE(__atomic_fetch_min, old < value ? old : value))
FORMS(T, fetch_max, POINTER_AND_VALUE, CHANGE(__atomic_fetch_max, old > value ? old : value))
#endif
#undef SEQUENTIAL
#undef FORMS
#undef POINTER
#undef POINTER_AND_VALUE
#undef CHANGE
