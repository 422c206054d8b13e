// Memory fences. A work-group runs on one thread, so what they order is seen by other groups only.
//! mem_fence(uint) read_mem_fence(uint) write_mem_fence(uint)
//! atomic_work_item_fence(uint, memory_order, memory_scope)

FN void weft_mem_fence(uint flags) { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
FN void weft_read_mem_fence(uint flags) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
FN void weft_write_mem_fence(uint flags) { __atomic_thread_fence(__ATOMIC_RELEASE); }
FN void weft_atomic_work_item_fence(uint flags, memory_order order, memory_scope scope) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
