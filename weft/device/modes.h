/* Floating-point modes of a thread: rounding, and flushing of denormal numbers. */
#ifndef WEFT_MODES_H
#define WEFT_MODES_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

enum { DEFAULT_MODES = 0x1f80, FLUSHING_MODES = 0x9fc0 };

static inline uint64_t weft_modes(void) {
    return _mm_getcsr();
}

static inline void weft_set_modes(uint64_t modes) {
    _mm_setcsr((unsigned int)modes);
}

static inline bool weft_are_default(uint64_t modes) {
    enum { EXCEPTIONS = 0x3f }; /* the sticky exception flags */
    return (modes & ~(uint64_t)EXCEPTIONS) == DEFAULT_MODES;
}

#elif defined(__aarch64__)

enum { DEFAULT_MODES = 0, FLUSHING_MODES = 1 << 24 };

static inline uint64_t weft_modes(void) {
    uint64_t modes;
    __asm__ volatile("mrs %0, fpcr" : "=r"(modes));
    return modes;
}

static inline void weft_set_modes(uint64_t modes) {
    __asm__ volatile("msr fpcr, %0" : : "r"(modes) : "memory");
}

static inline bool weft_are_default(uint64_t modes) {
    return modes == DEFAULT_MODES;
}

#else
#error "no floating-point modes are known for this processor"
#endif

#endif
