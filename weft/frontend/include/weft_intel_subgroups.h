/* Intel's sub-group functions: cl_intel_subgroups, cl_intel_subgroups_char, _short and _long, and
 * cl_intel_subgroup_local_block_io.
 *
 * Programs that use them get this file after weft_opencl.h (weft/frontend/several.py). They are defined in terms
 * of the standard sub-group functions, so that only clang sees Intel's names. Helper names begin with two
 * underscores, so that no macro of a program can replace them.
 */
#ifndef WEFT_INTEL_SUBGROUPS_H
#define WEFT_INTEL_SUBGROUPS_H
#pragma GCC system_header

#define cl_intel_required_subgroup_size 1
#define cl_intel_subgroups 1
#define cl_intel_subgroups_char 1
#define cl_intel_subgroups_short 1
#define cl_intel_subgroups_long 1
#define cl_intel_subgroup_local_block_io 1

/* Makes clang declare the sub-group functions, which the extension provides since OpenCL C 1.2. */
#ifndef __opencl_subgroup_builtins
#define __opencl_subgroup_builtins 1
#endif

#define __WEFT_FN static __attribute__((always_inline, overloadable))
#define __WEFT_BUILTIN __attribute__((overloadable, convergent))

/* ---- values of other work-items ---- */

/* Up and down select values from two adjacent sub-groups. The value that is not selected may be that of a
   work-item that does not exist. */
#define __WEFT_SHUFFLES(__t)                                                                    \
  __t __WEFT_BUILTIN sub_group_shuffle(__t, uint);                                              \
  __t __WEFT_BUILTIN sub_group_shuffle_xor(__t, uint);                                          \
  __WEFT_FN __t intel_sub_group_shuffle(__t __x, uint __from) {                                 \
    return sub_group_shuffle(__x, __from);                                                      \
  }                                                                                             \
  __WEFT_FN __t intel_sub_group_shuffle_xor(__t __x, uint __mask) {                             \
    return sub_group_shuffle_xor(__x, __mask);                                                  \
  }                                                                                             \
  __WEFT_FN __t intel_sub_group_shuffle_down(__t __current, __t __next, uint __delta) {         \
    uint __size = get_max_sub_group_size(), __at = get_sub_group_local_id() + __delta;          \
    __t __inside = sub_group_shuffle(__current, __at);                                          \
    __t __beyond = sub_group_shuffle(__next, __at - __size);                                    \
    return __at < __size ? __inside : __beyond;                                                 \
  }                                                                                             \
  __WEFT_FN __t intel_sub_group_shuffle_up(__t __previous, __t __current, uint __delta) {       \
    uint __size = get_max_sub_group_size(), __at = get_sub_group_local_id() - __delta;          \
    __t __inside = sub_group_shuffle(__current, __at);                                          \
    __t __beyond = sub_group_shuffle(__previous, __at + __size);                                \
    return (int)__at >= 0 ? __inside : __beyond;                                                \
  }
#define __WEFT_ALL_SHUFFLES(__t) \
  __WEFT_SHUFFLES(__t)           \
  __WEFT_SHUFFLES(__t##2)        \
  __WEFT_SHUFFLES(__t##3)        \
  __WEFT_SHUFFLES(__t##4)        \
  __WEFT_SHUFFLES(__t##8)        \
  __WEFT_SHUFFLES(__t##16)
__WEFT_ALL_SHUFFLES(char)
__WEFT_ALL_SHUFFLES(uchar)
__WEFT_ALL_SHUFFLES(short)
__WEFT_ALL_SHUFFLES(ushort)
__WEFT_ALL_SHUFFLES(int)
__WEFT_ALL_SHUFFLES(uint)
__WEFT_ALL_SHUFFLES(float)
__WEFT_SHUFFLES(long)
__WEFT_SHUFFLES(ulong)
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__WEFT_SHUFFLES(double)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__WEFT_SHUFFLES(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif

/* ---- small integers of all work-items ---- */

#define __WEFT_COMBINED(__t, __name)             \
  __t __WEFT_BUILTIN sub_group_##__name(__t);    \
  __WEFT_FN __t intel_sub_group_##__name(__t __x) { return sub_group_##__name(__x); }
#define __WEFT_COMBINATIONS(__t)                                                              \
  __t __WEFT_BUILTIN sub_group_broadcast(__t, uint);                                          \
  __WEFT_FN __t intel_sub_group_broadcast(__t __x, uint __from) {                             \
    return sub_group_broadcast(__x, __from);                                                  \
  }                                                                                           \
  __WEFT_COMBINED(__t, reduce_add)                                                            \
  __WEFT_COMBINED(__t, reduce_min)                                                            \
  __WEFT_COMBINED(__t, reduce_max)                                                            \
  __WEFT_COMBINED(__t, scan_exclusive_add)                                                    \
  __WEFT_COMBINED(__t, scan_exclusive_min)                                                    \
  __WEFT_COMBINED(__t, scan_exclusive_max)                                                    \
  __WEFT_COMBINED(__t, scan_inclusive_add)                                                    \
  __WEFT_COMBINED(__t, scan_inclusive_min)                                                    \
  __WEFT_COMBINED(__t, scan_inclusive_max)
__WEFT_COMBINATIONS(char)
__WEFT_COMBINATIONS(uchar)
__WEFT_COMBINATIONS(short)
__WEFT_COMBINATIONS(ushort)

/* If a program declares a name, clang does not declare further overloads of it: these are the others. */
#define __WEFT_DECLARED(__t)                               \
  __t __WEFT_BUILTIN sub_group_broadcast(__t, uint);       \
  __t __WEFT_BUILTIN sub_group_reduce_add(__t);            \
  __t __WEFT_BUILTIN sub_group_reduce_min(__t);            \
  __t __WEFT_BUILTIN sub_group_reduce_max(__t);            \
  __t __WEFT_BUILTIN sub_group_scan_exclusive_add(__t);    \
  __t __WEFT_BUILTIN sub_group_scan_exclusive_min(__t);    \
  __t __WEFT_BUILTIN sub_group_scan_exclusive_max(__t);    \
  __t __WEFT_BUILTIN sub_group_scan_inclusive_add(__t);    \
  __t __WEFT_BUILTIN sub_group_scan_inclusive_min(__t);    \
  __t __WEFT_BUILTIN sub_group_scan_inclusive_max(__t);
__WEFT_DECLARED(int)
__WEFT_DECLARED(uint)
__WEFT_DECLARED(long)
__WEFT_DECLARED(ulong)
__WEFT_DECLARED(float)
#define __WEFT_VECTORS_DECLARED(__t)                      \
  __t##2 __WEFT_BUILTIN sub_group_broadcast(__t##2, uint);   \
  __t##3 __WEFT_BUILTIN sub_group_broadcast(__t##3, uint);   \
  __t##4 __WEFT_BUILTIN sub_group_broadcast(__t##4, uint);   \
  __t##8 __WEFT_BUILTIN sub_group_broadcast(__t##8, uint);   \
  __t##16 __WEFT_BUILTIN sub_group_broadcast(__t##16, uint);
__WEFT_VECTORS_DECLARED(char)
__WEFT_VECTORS_DECLARED(uchar)
__WEFT_VECTORS_DECLARED(short)
__WEFT_VECTORS_DECLARED(ushort)
__WEFT_VECTORS_DECLARED(int)
__WEFT_VECTORS_DECLARED(uint)
__WEFT_VECTORS_DECLARED(long)
__WEFT_VECTORS_DECLARED(ulong)
__WEFT_VECTORS_DECLARED(float)
#ifdef cl_khr_fp64
__WEFT_DECLARED(double)
__WEFT_VECTORS_DECLARED(double)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__WEFT_DECLARED(half)
__WEFT_VECTORS_DECLARED(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif

/* ---- blocks: a row of elements for each component of the result ---- */

/* A wider access consists of two of half the width; the second starts __rows rows later. */
#define __WEFT_WIDER_BUFFER(__read, __write, __t, __space, __rows, __half, __whole)                     \
  __WEFT_FN __t##__whole __read##__whole(const __space __t *__p) {                                      \
    return (__t##__whole)(__read##__half(__p), __read##__half(__p + __rows * get_max_sub_group_size())); \
  }                                                                                                     \
  __WEFT_FN void __write##__whole(__space __t *__p, __t##__whole __x) {                                 \
    __write##__half(__p, __x.lo);                                                                       \
    __write##__half(__p + __rows * get_max_sub_group_size(), __x.hi);                                   \
  }
#define __WEFT_BUFFER(__read, __write, __t, __space)                                                    \
  __WEFT_FN __t __read(const __space __t *__p) { return __p[get_sub_group_local_id()]; }                \
  __WEFT_FN void __write(__space __t *__p, __t __x) { __p[get_sub_group_local_id()] = __x; }            \
  __WEFT_WIDER_BUFFER(__read, __write, __t, __space, 1, , 2)                                            \
  __WEFT_WIDER_BUFFER(__read, __write, __t, __space, 2, 2, 4)                                           \
  __WEFT_WIDER_BUFFER(__read, __write, __t, __space, 4, 4, 8)
#define __WEFT_BUFFERS(__space)                                                                         \
  __WEFT_BUFFER(intel_sub_group_block_read, intel_sub_group_block_write, uint, __space)                 \
  __WEFT_BUFFER(intel_sub_group_block_read_uc, intel_sub_group_block_write_uc, uchar, __space)          \
  __WEFT_BUFFER(intel_sub_group_block_read_us, intel_sub_group_block_write_us, ushort, __space)         \
  __WEFT_BUFFER(intel_sub_group_block_read_ui, intel_sub_group_block_write_ui, uint, __space)           \
  __WEFT_BUFFER(intel_sub_group_block_read_ul, intel_sub_group_block_write_ul, ulong, __space)          \
  __WEFT_WIDER_BUFFER(intel_sub_group_block_read_uc, intel_sub_group_block_write_uc, uchar, __space, 8, 8, 16) \
  __WEFT_WIDER_BUFFER(intel_sub_group_block_read_us, intel_sub_group_block_write_us, ushort, __space, 8, 8, 16)
__WEFT_BUFFERS(__global)
__WEFT_BUFFERS(__local)

#ifdef __IMAGE_SUPPORT__
/* Bytes of images are read and written unconverted: reads beyond the edge are clamped to it, writes are dropped.
   weft/builtins/images.py has the functions that compute their addresses. */
#define __WEFT_BYTES(__access)                                                        \
  ulong __attribute__((overloadable)) get_image_weft_address(__access image2d_t);     \
  ulong __attribute__((overloadable)) get_image_weft_pitch(__access image2d_t);       \
  int __attribute__((overloadable)) get_image_weft_row(__access image2d_t);           \
  int __attribute__((overloadable)) get_image_height(__access image2d_t);

#define __WEFT_WIDER_READ(__read, __t, __access, __rows, __half, __whole)                               \
  __WEFT_FN __t##__whole __read##__whole(__access image2d_t __image, int2 __at) {                       \
    return (__t##__whole)(__read##__half(__image, __at), __read##__half(__image, __at + (int2)(0, __rows))); \
  }
#define __WEFT_READ(__read, __t, __access)                                                              \
  __WEFT_FN __t __read(__access image2d_t __image, int2 __at) {                                         \
    typedef __t __unaligned __attribute__((aligned(1), may_alias));                                     \
    int __last = get_image_weft_row(__image) - (int)sizeof(__t), __bottom = get_image_height(__image) - 1; \
    long __x = __at.x + (long)get_sub_group_local_id() * sizeof(__t);                                   \
    int __y = __at.y < 0 ? 0 : __at.y > __bottom ? __bottom : __at.y;                                   \
    if (__last < 0)                                                                                     \
      return 0;                                                                                         \
    __x = __x < 0 ? 0 : __x > __last ? __last : __x;                                                    \
    return *(const __global __unaligned *)(get_image_weft_address(__image) +                            \
                                           (ulong)__y * get_image_weft_pitch(__image) + (ulong)__x);    \
  }                                                                                                     \
  __WEFT_WIDER_READ(__read, __t, __access, 1, , 2)                                                      \
  __WEFT_WIDER_READ(__read, __t, __access, 2, 2, 4)                                                     \
  __WEFT_WIDER_READ(__read, __t, __access, 4, 4, 8)
#define __WEFT_READS(__access)                                             \
  __WEFT_READ(intel_sub_group_block_read, uint, __access)                  \
  __WEFT_READ(intel_sub_group_block_read_uc, uchar, __access)              \
  __WEFT_READ(intel_sub_group_block_read_us, ushort, __access)             \
  __WEFT_READ(intel_sub_group_block_read_ui, uint, __access)               \
  __WEFT_READ(intel_sub_group_block_read_ul, ulong, __access)              \
  __WEFT_WIDER_READ(intel_sub_group_block_read_uc, uchar, __access, 8, 8, 16) \
  __WEFT_WIDER_READ(intel_sub_group_block_read_us, ushort, __access, 8, 8, 16)

#define __WEFT_WIDER_WRITE(__write, __t, __access, __rows, __half, __whole)                             \
  __WEFT_FN void __write##__whole(__access image2d_t __image, int2 __at, __t##__whole __x) {            \
    __write##__half(__image, __at, __x.lo);                                                             \
    __write##__half(__image, __at + (int2)(0, __rows), __x.hi);                                         \
  }
#define __WEFT_WRITE(__write, __t, __access)                                                            \
  __WEFT_FN void __write(__access image2d_t __image, int2 __at, __t __value) {                          \
    typedef __t __unaligned __attribute__((aligned(1), may_alias));                                     \
    int __last = get_image_weft_row(__image) - (int)sizeof(__t), __bottom = get_image_height(__image) - 1; \
    long __x = __at.x + (long)get_sub_group_local_id() * sizeof(__t);                                   \
    if (__x >= 0 && __x <= __last && __at.y >= 0 && __at.y <= __bottom)                                 \
      *(__global __unaligned *)(get_image_weft_address(__image) +                                       \
                                (ulong)__at.y * get_image_weft_pitch(__image) + (ulong)__x) = __value;  \
  }                                                                                                     \
  __WEFT_WIDER_WRITE(__write, __t, __access, 1, , 2)                                                    \
  __WEFT_WIDER_WRITE(__write, __t, __access, 2, 2, 4)                                                   \
  __WEFT_WIDER_WRITE(__write, __t, __access, 4, 4, 8)
#define __WEFT_WRITES(__access)                                            \
  __WEFT_WRITE(intel_sub_group_block_write, uint, __access)                \
  __WEFT_WRITE(intel_sub_group_block_write_uc, uchar, __access)            \
  __WEFT_WRITE(intel_sub_group_block_write_us, ushort, __access)           \
  __WEFT_WRITE(intel_sub_group_block_write_ui, uint, __access)             \
  __WEFT_WRITE(intel_sub_group_block_write_ul, ulong, __access)            \
  __WEFT_WIDER_WRITE(intel_sub_group_block_write_uc, uchar, __access, 8, 8, 16) \
  __WEFT_WIDER_WRITE(intel_sub_group_block_write_us, ushort, __access, 8, 8, 16)

__WEFT_BYTES(__read_only)
__WEFT_READS(__read_only)
__WEFT_BYTES(__write_only)
__WEFT_WRITES(__write_only)
#ifdef __opencl_c_read_write_images
__WEFT_BYTES(__read_write)
__WEFT_READS(__read_write)
__WEFT_WRITES(__read_write)
#endif
#endif

#endif
