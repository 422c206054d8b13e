// cl_khr_kernel_clock: the processor's counter, which all its cores share. No read passes an earlier one.
//! clock_read_device() clock_read_work_group() clock_read_sub_group()
//! clock_read_hilo_device() clock_read_hilo_work_group() clock_read_hilo_sub_group()

#ifdef WEFT_COUNTER_FENCE
void weft_counter_fence(void) __asm(WEFT_COUNTER_FENCE);
#endif
FN ulong weft_clock(void) {
#ifdef WEFT_CLOCK_ASSEMBLY
    ulong now;
    __asm volatile(WEFT_CLOCK_ASSEMBLY : "=r"(now));
    return now;
#else
#ifdef WEFT_COUNTER_FENCE
    weft_counter_fence();
#endif
    return WEFT_COUNTER();
#endif
}
#define CLOCK(scope)                                                    \
    FN ulong weft_clock_read_##scope(void) { return weft_clock(); }     \
    FN uint2 weft_clock_read_hilo_##scope(void) { return AS_TYPE(weft_clock(), uint2); }
CLOCK(device)
CLOCK(work_group)
CLOCK(sub_group)
#undef CLOCK
