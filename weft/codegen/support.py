"""Run-time routines that LLVM calls for conversions to and from half without processor support.

No processor before AVX512-FP16 converts double to half in one step (going through float would round twice),
and without F16C none converts float to half or back; LLVM then calls these routines by their compiler-rt
names. Nothing in the process defines them, so the JIT does.
"""

from string import Template

# Round to nearest, ties to even. `$magic` is the number whose last place is worth 2^-24, the smallest half:
# adding it to a number below the smallest normal half rounds that number to half precision.
_TRUNCATE = Template("""
define half @$name($float %x) nounwind {
  %bits = bitcast $float %x to $int
  %sign.wide = lshr $int %bits, $sign_shift
  %sign.low = trunc $int %sign.wide to i16
  %sign = and i16 %sign.low, -32768
  %abs = and $int %bits, $abs_mask
  %mantissa.wide = lshr $int %abs, $shift
  %mantissa = trunc $int %mantissa.wide to i16
  %payload = and i16 %mantissa, 511
  %nan = or i16 %payload, 32256

  %rebiased = sub $int %abs, $rebias
  %odd.wide = lshr $int %rebiased, $shift
  %odd = and $int %odd.wide, 1
  %almost.half = add $int %rebiased, $below_half
  %rounded = add $int %almost.half, %odd
  %normal.wide = lshr $int %rounded, $shift
  %normal = trunc $int %normal.wide to i16

  %abs.value = bitcast $int %abs to $float
  %aligned = fadd $float %abs.value, $magic
  %aligned.bits = bitcast $float %aligned to $int
  %subnormal = trunc $int %aligned.bits to i16

  %is.subnormal = icmp ult $int %abs, $smallest_normal
  %is.overflow = icmp uge $int %abs, $overflow
  %is.nan = icmp ugt $int %abs, $infinity
  %finite = select i1 %is.subnormal, i16 %subnormal, i16 %normal
  %number = select i1 %is.overflow, i16 31744, i16 %finite
  %magnitude = select i1 %is.nan, i16 %nan, i16 %number
  %result = or i16 %sign, %magnitude
  %half = bitcast i16 %result to half
  ret half %half
}
""")

_EXTEND = """
define float @__extendhfsf2(half %x) nounwind {
  %bits = bitcast half %x to i16
  %wide = zext i16 %bits to i32
  %sign.place = shl i32 %wide, 16
  %sign = and i32 %sign.place, -2147483648
  %abs = and i32 %wide, 32767
  %shifted = shl i32 %abs, 13
  %normal = add i32 %shifted, 939524096
  %special = or i32 %shifted, 2139095040
  %quiet = or i32 %special, 4194304
  %count = uitofp i32 %abs to float
  %small = fmul float %count, 0x3E70000000000000
  %subnormal = bitcast float %small to i32

  %is.subnormal = icmp ult i32 %abs, 1024
  %is.special = icmp uge i32 %abs, 31744
  %is.nan = icmp ugt i32 %abs, 31744
  %number = select i1 %is.subnormal, i32 %subnormal, i32 %normal
  %infinite = select i1 %is.nan, i32 %quiet, i32 %special
  %magnitude = select i1 %is.special, i32 %infinite, i32 %number
  %result = or i32 %sign, %magnitude
  %float = bitcast i32 %result to float
  ret float %float
}
"""

SYMBOLS = ("__truncdfhf2", "__truncsfhf2", "__extendhfsf2")

MODULE = (
    _TRUNCATE.substitute(
        name="__truncdfhf2",
        float="double",
        int="i64",
        sign_shift=48,
        abs_mask=2**63 - 1,
        shift=42,
        rebias=(1023 - 15) << 52,
        below_half=2**41 - 1,
        magic="0x41B0000000000000",  # 2^28
        smallest_normal=(1023 - 14) << 52,
        overflow=0x40EFFE0000000000,  # 65520, half-way between the largest half and the next step
        infinity=0x7FF0000000000000,
    )
    + _TRUNCATE.substitute(
        name="__truncsfhf2",
        float="float",
        int="i32",
        sign_shift=16,
        abs_mask=2**31 - 1,
        shift=13,
        rebias=(127 - 15) << 23,
        below_half=2**12 - 1,
        magic="0x3FE0000000000000",  # 2^-1
        smallest_normal=(127 - 14) << 23,
        overflow=0x477FF000,
        infinity=0x7F800000,
    )
    + _EXTEND
)
