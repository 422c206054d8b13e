/* What the driver and a device server say to each other: one message is one packet of a socket pair.
 *
 * Neither side trusts the other: each checks the length, the kind and every number of what it receives, and ends the
 * connection at the first that is wrong.
 *
 * The region is memory that both map at the same addresses, so that pointers in arguments and in buffers mean the
 * same on both sides:
 *
 *     imports_at  a table of addresses of functions, private to the server
 *     code_at     machine code: the driver writes it, the server executes it and cannot write it
 *     data_at     variables of kernels, then arenas and buffers: both read and write
 *
 * A server may have the buffers of other regions, too: devices of one context share those of one of them.
 */
#ifndef WEFT_PROTOCOL_H
#define WEFT_PROTOCOL_H

#include "pool.h"

enum { WEFT_PROTOCOL = 5 };
/* The files that a server starts with; the last of them has the buffers of other regions behind it. */
enum { SERVER_SOCKET = 3, SERVER_CODE = 4, SERVER_DATA = 5, SERVER_LIFE = 6, SERVER_OTHERS = 7, MOST_OTHERS = 8 };
enum { MOST_MESSAGE_BYTES = 64 << 10, MOST_OUTPUT_BYTES = 32 << 10, MOST_ARGS_BYTES = 32 << 10 };
enum { MOST_SERVER_THREADS = 1024, IMPORT_BYTES = 64 << 10 };
enum { ALIGNMENT_OF_ARENAS = 128 };
/* All regions lie before this address. */
#define END_OF_REGIONS ((uint64_t)1 << 46)

typedef enum weft_message_kind {
    MESSAGE_HELLO = 1, /* driver: the first */
    MESSAGE_READY,     /* server: its threads wait for launches, and it can make no other system calls any more */
    MESSAGE_LAUNCH,    /* driver: run all work-groups; one at a time */
    MESSAGE_OUTPUT,    /* server: text that the running kernel prints */
    MESSAGE_DONE,      /* server: all work-groups have run */
    MESSAGE_FAULT,     /* server: the last, before it ends */
} weft_message_kind;

typedef struct weft_hello {
    uint32_t kind, version;
    uint32_t imports_key; /* of the names of the imports, in order */
    uint32_t threads;
    uint64_t imports_at, code_at, code_bytes, data_at, data_bytes;
    uint64_t others; /* regions of other devices whose buffers kernels reach: the part of each file from `offset` on */
    struct {
        uint64_t at, bytes, offset;
    } other[MOST_OTHERS];
} weft_hello;

typedef struct weft_reply {
    uint32_t kind;
    uint32_t signal;    /* MESSAGE_FAULT: what ended it */
    uint64_t sequence;  /* of the launch */
    uint64_t group;     /* MESSAGE_FAULT: the work-group that was running; UINT64_MAX: none */
    uint64_t address;   /* MESSAGE_FAULT: of the access; UINT64_MAX: not known */
} weft_reply;

typedef struct weft_run {
    uint32_t kind, args_bytes;
    uint64_t sequence;
    uint64_t function;
    uint64_t arenas; /* of the first thread; each has local_bytes for local memory, then context_bytes */
    uint64_t local_bytes, context_bytes;
    uint64_t threads;      /* that are worth waking */
    uint64_t code_version; /* changes when code was written where other code has been */
    weft_launch launch; /* argument bytes follow */
} weft_run;

typedef struct weft_output {
    uint32_t kind, length; /* the text follows */
} weft_output;

#endif
