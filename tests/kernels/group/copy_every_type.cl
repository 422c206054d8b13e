// Copies of elements of every type and width, in both directions; a vector of three takes the place of four.
//! launch: 10 / 5
//! launch: (4, 4) / (2, 4)
//! sizes: any
//! arg char_a: small_ints((7, 1), int8)
//! arg char_b: small_ints((9, 1), int8)
//! arg char4_a: small_ints((7, 4), int8)
//! arg char4_b: small_ints((9, 4), int8)
//! arg uchar2_a: small_ints((7, 2), uint8)
//! arg uchar2_b: small_ints((9, 2), uint8)
//! arg uchar8_a: small_ints((7, 8), uint8)
//! arg uchar8_b: small_ints((9, 8), uint8)
//! arg short3_a: small_ints((7, 4), int16)
//! arg short3_b: small_ints((9, 4), int16)
//! arg short16_a: small_ints((7, 16), int16)
//! arg short16_b: small_ints((9, 16), int16)
//! arg ushort4_a: small_ints((7, 4), uint16)
//! arg ushort4_b: small_ints((9, 4), uint16)
//! arg ushort_a: small_ints((7, 1), uint16)
//! arg ushort_b: small_ints((9, 1), uint16)
//! arg int8_a: small_ints((7, 8), int32)
//! arg int8_b: small_ints((9, 8), int32)
//! arg int2_a: small_ints((7, 2), int32)
//! arg int2_b: small_ints((9, 2), int32)
//! arg uint16_a: small_ints((7, 16), uint32)
//! arg uint16_b: small_ints((9, 16), uint32)
//! arg uint3_a: small_ints((7, 4), uint32)
//! arg uint3_b: small_ints((9, 4), uint32)
//! arg long_a: small_ints((7, 1), int64)
//! arg long_b: small_ints((9, 1), int64)
//! arg long4_a: small_ints((7, 4), int64)
//! arg long4_b: small_ints((9, 4), int64)
//! arg ulong2_a: small_ints((7, 2), uint64)
//! arg ulong2_b: small_ints((9, 2), uint64)
//! arg ulong8_a: small_ints((7, 8), uint64)
//! arg ulong8_b: small_ints((9, 8), uint64)
//! arg float3_a: small_ints((7, 4), float32)
//! arg float3_b: small_ints((9, 4), float32)
//! arg float16_a: small_ints((7, 16), float32)
//! arg float16_b: small_ints((9, 16), float32)
//! arg double4_a: small_ints((7, 4), float64)
//! arg double4_b: small_ints((9, 4), float64)
//! arg double_a: small_ints((7, 1), float64)
//! arg double_b: small_ints((9, 1), float64)
//| char_b[1:8] = char_a
//| char4_b[1:8] = char4_a
//| uchar2_b[1:8] = uchar2_a
//| uchar8_b[1:8] = uchar8_a
//| short3_b[1:8] = short3_a
//| short16_b[1:8] = short16_a
//| ushort4_b[1:8] = ushort4_a
//| ushort_b[1:8] = ushort_a
//| int8_b[1:8] = int8_a
//| int2_b[1:8] = int2_a
//| uint16_b[1:8] = uint16_a
//| uint3_b[1:8] = uint3_a
//| long_b[1:8] = long_a
//| long4_b[1:8] = long4_a
//| ulong2_b[1:8] = ulong2_a
//| ulong8_b[1:8] = ulong8_a
//| float3_b[1:8] = float3_a
//| float16_b[1:8] = float16_a
//| double4_b[1:8] = double4_a
//| double_b[1:8] = double_a
#define TILE(t) ((local t *)tile)
#define COPY(t)                                                  \
    {                                                            \
        event_t e = async_work_group_copy(TILE(t), t##_a, 7, 0); \
        wait_group_events(1, &e);                                \
        e = async_work_group_copy(t##_b + 1, TILE(t), 7, 0);     \
        wait_group_events(1, &e);                                \
    }
kernel void copy_every_type(
    global char *char_a, global char *char_b,
    global char4 *char4_a, global char4 *char4_b,
    global uchar2 *uchar2_a, global uchar2 *uchar2_b,
    global uchar8 *uchar8_a, global uchar8 *uchar8_b,
    global short3 *short3_a, global short3 *short3_b,
    global short16 *short16_a, global short16 *short16_b,
    global ushort4 *ushort4_a, global ushort4 *ushort4_b,
    global ushort *ushort_a, global ushort *ushort_b,
    global int8 *int8_a, global int8 *int8_b,
    global int2 *int2_a, global int2 *int2_b,
    global uint16 *uint16_a, global uint16 *uint16_b,
    global uint3 *uint3_a, global uint3 *uint3_b,
    global long *long_a, global long *long_b,
    global long4 *long4_a, global long4 *long4_b,
    global ulong2 *ulong2_a, global ulong2 *ulong2_b,
    global ulong8 *ulong8_a, global ulong8 *ulong8_b,
    global float3 *float3_a, global float3 *float3_b,
    global float16 *float16_a, global float16 *float16_b,
    global double4 *double4_a, global double4 *double4_b,
    global double *double_a, global double *double_b) {
    local double16 tile[7];
    COPY(char)
    COPY(char4)
    COPY(uchar2)
    COPY(uchar8)
    COPY(short3)
    COPY(short16)
    COPY(ushort4)
    COPY(ushort)
    COPY(int8)
    COPY(int2)
    COPY(uint16)
    COPY(uint3)
    COPY(long)
    COPY(long4)
    COPY(ulong2)
    COPY(ulong8)
    COPY(float3)
    COPY(float16)
    COPY(double4)
    COPY(double)
}
