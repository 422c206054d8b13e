// Each work-item makes a message of bytes and adds up its words: memory that is accessed as elements of two sizes has
// no layout for lanes, so work-items run one by one.
//! launch: 64 / 16
//! launch: 10 / 5
//! launch: 3 / 1
//! arg a: small_ints((G[0],), uint32)
//! arg out: zeros(G[0], uint32)
//| for g in range(G[0]):
//|     message = array([k * 5 + int(a[g]) & 255 for k in range(512)], uint8)
//|     message[int(a[g]) & 511] = 128
//|     h = int(a[g])
//|     for word in message.view(uint32):
//|         h = (h ^ int(word)) * 16777619 % 2**32
//|     out[g] = h
kernel void bytes_hashed_as_words(global const uint *a, global uint *out) {
    int g = get_global_id(0);
    union { uchar bytes[512]; uint words[128]; } message;
    uint h = a[g];
    for (int k = 0; k < 512; k++)
        message.bytes[k] = (uchar)(k * 5 + h);
    message.bytes[h & 511] = 0x80;
    for (int k = 0; k < 128; k++)
        h = (h ^ message.words[k]) * 16777619u;
    out[g] = h;
}
