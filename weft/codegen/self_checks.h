/* Calls of LLVM in which a failed assertion ends the call instead of the process. */
#ifndef WEFT_SELF_CHECKS_H
#define WEFT_SELF_CHECKS_H

#include <stdint.h>

/* cffi begin */

/* Calls a function with three pointers. Returns 0, or 1 if it was left because the library that defines it called
 * abort or an assertion failed. Only one call at a time: the caller holds llvmlite's lock. */
int weft_call_checked(uintptr_t function, uintptr_t first, uintptr_t second, uintptr_t third);

/* Returns the failed assertion of the last call that was left, "" if it is unknown. */
const char *weft_failed_check(void);

/* cffi end */

#endif
