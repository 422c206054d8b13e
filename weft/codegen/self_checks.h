/* Calls of LLVM that a failed self-check ends, instead of the process. */
#ifndef WEFT_SELF_CHECKS_H
#define WEFT_SELF_CHECKS_H

#include <stdint.h>

/* cffi begin */

/* Calls a function with three pointers. Returns 0, or 1 if it was left because the library that defines it called
 * abort, or found an assertion to be false. One call at a time: the caller holds llvmlite's lock. */
int weft_call_checked(uintptr_t function, uintptr_t first, uintptr_t second, uintptr_t third);

/* What the last call that was left found wrong, "" if it did not say. */
const char *weft_failed_check(void);

/* cffi end */

#endif
