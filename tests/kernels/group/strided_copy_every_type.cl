// Strided copies of elements of every type and width: gathered on the way in, scattered on the way out.
//! launch: 10 / 5
//! launch: (4, 4) / (2, 4)
//! sizes: any
//! arg char_a: small_ints((15, 1), int8)
//! arg char_b: small_ints((21, 1), int8)
//! arg char4_a: small_ints((15, 4), int8)
//! arg char4_b: small_ints((21, 4), int8)
//! arg uchar2_a: small_ints((15, 2), uint8)
//! arg uchar2_b: small_ints((21, 2), uint8)
//! arg uchar8_a: small_ints((15, 8), uint8)
//! arg uchar8_b: small_ints((21, 8), uint8)
//! arg short3_a: small_ints((15, 4), int16)
//! arg short3_b: small_ints((21, 4), int16)
//! arg short16_a: small_ints((15, 16), int16)
//! arg short16_b: small_ints((21, 16), int16)
//! arg ushort4_a: small_ints((15, 4), uint16)
//! arg ushort4_b: small_ints((21, 4), uint16)
//! arg ushort_a: small_ints((15, 1), uint16)
//! arg ushort_b: small_ints((21, 1), uint16)
//! arg int8_a: small_ints((15, 8), int32)
//! arg int8_b: small_ints((21, 8), int32)
//! arg int2_a: small_ints((15, 2), int32)
//! arg int2_b: small_ints((21, 2), int32)
//! arg uint16_a: small_ints((15, 16), uint32)
//! arg uint16_b: small_ints((21, 16), uint32)
//! arg uint3_a: small_ints((15, 4), uint32)
//! arg uint3_b: small_ints((21, 4), uint32)
//! arg long_a: small_ints((15, 1), int64)
//! arg long_b: small_ints((21, 1), int64)
//! arg long4_a: small_ints((15, 4), int64)
//! arg long4_b: small_ints((21, 4), int64)
//! arg ulong2_a: small_ints((15, 2), uint64)
//! arg ulong2_b: small_ints((21, 2), uint64)
//! arg ulong8_a: small_ints((15, 8), uint64)
//! arg ulong8_b: small_ints((21, 8), uint64)
//! arg float3_a: small_ints((15, 4), float32)
//! arg float3_b: small_ints((21, 4), float32)
//! arg float16_a: small_ints((15, 16), float32)
//! arg float16_b: small_ints((21, 16), float32)
//! arg double4_a: small_ints((15, 4), float64)
//! arg double4_b: small_ints((21, 4), float64)
//! arg double_a: small_ints((15, 1), float64)
//! arg double_b: small_ints((21, 1), float64)
//| char_b[1:20:3] = char_a[2:15:2]
//| char4_b[1:20:3] = char4_a[2:15:2]
//| uchar2_b[1:20:3] = uchar2_a[2:15:2]
//| uchar8_b[1:20:3] = uchar8_a[2:15:2]
//| short3_b[1:20:3] = short3_a[2:15:2]
//| short16_b[1:20:3] = short16_a[2:15:2]
//| ushort4_b[1:20:3] = ushort4_a[2:15:2]
//| ushort_b[1:20:3] = ushort_a[2:15:2]
//| int8_b[1:20:3] = int8_a[2:15:2]
//| int2_b[1:20:3] = int2_a[2:15:2]
//| uint16_b[1:20:3] = uint16_a[2:15:2]
//| uint3_b[1:20:3] = uint3_a[2:15:2]
//| long_b[1:20:3] = long_a[2:15:2]
//| long4_b[1:20:3] = long4_a[2:15:2]
//| ulong2_b[1:20:3] = ulong2_a[2:15:2]
//| ulong8_b[1:20:3] = ulong8_a[2:15:2]
//| float3_b[1:20:3] = float3_a[2:15:2]
//| float16_b[1:20:3] = float16_a[2:15:2]
//| double4_b[1:20:3] = double4_a[2:15:2]
//| double_b[1:20:3] = double_a[2:15:2]
#define TILE(t) ((local t *)tile)
#define COPY(t)                                                                 \
    {                                                                           \
        event_t e = async_work_group_strided_copy(TILE(t), t##_a + 2, 7, 2, 0); \
        wait_group_events(1, &e);                                               \
        e = async_work_group_strided_copy(t##_b + 1, TILE(t), 7, 3, 0);         \
        wait_group_events(1, &e);                                               \
    }
kernel void strided_copy_every_type(
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
