/* The protocol between the driver and a device server. Each message is one packet of a socket pair.
 *
 * Neither side trusts the other: each checks the length, the kind and all numbers of a message, and closes the
 * connection at the first error.
 *
 * The region is memory that both map at the same addresses, so that pointers in arguments and buffers are valid on both
 * sides:
 *
 *     imports_at  a table of addresses of functions, private to the server
 *     code_at     machine code: the driver writes it, the server executes it and cannot write it
 *     data_at     variables of kernels, then arenas and buffers: both read and write
 *
 * A server may also map the buffers of other regions, because devices of one context use the buffers of one of them.
 */
#ifndef WEFT_PROTOCOL_H
#define WEFT_PROTOCOL_H

#include "pool.h"

enum { WEFT_PROTOCOL = 5 };
/* The file descriptors that a server starts with; from SERVER_OTHERS on they are those of the other regions. */
enum { SERVER_SOCKET = 3, SERVER_CODE = 4, SERVER_DATA = 5, SERVER_LIFE = 6, SERVER_OTHERS = 7, MOST_OTHERS = 8 };
enum { MOST_MESSAGE_BYTES = 64 << 10, MOST_OUTPUT_BYTES = 32 << 10, MOST_ARGS_BYTES = 32 << 10 };
enum { MOST_SERVER_THREADS = 1024, IMPORT_BYTES = 64 << 10 };
enum { ALIGNMENT_OF_ARENAS = 128 };
/* The address at which the last possible region ends. */
#define END_OF_REGIONS ((uint64_t)1 << 46)

typedef enum weft_message_kind {
    MESSAGE_HELLO = 1, /* from the driver, first message */
    MESSAGE_READY,     /* from the server: its threads wait for launches, and its system call filter is active */
    MESSAGE_LAUNCH,    /* from the driver: run all work-groups; there is one launch at a time */
    MESSAGE_OUTPUT,    /* from the server: text printed by the running kernel */
    MESSAGE_DONE,      /* from the server: all work-groups have run */
    MESSAGE_FAULT,     /* from the server, last message before it ends */
} weft_message_kind;

typedef struct weft_hello {
    uint32_t kind, version;
    uint32_t imports_key; /* identifies the names of the imports and their order */
    uint32_t threads;
    uint64_t imports_at, code_at, code_bytes, data_at, data_bytes;
    uint64_t others; /* number of regions of other devices that kernels access: the part of each file from `offset` on */
    struct {
        uint64_t at, bytes, offset;
    } other[MOST_OTHERS];
} weft_hello;

typedef struct weft_reply {
    uint32_t kind;
    uint32_t signal;    /* MESSAGE_FAULT: the signal that ended the server */
    uint64_t sequence;  /* that of the launch */
    uint64_t group;     /* MESSAGE_FAULT: the work-group that was running; UINT64_MAX: none */
    uint64_t address;   /* MESSAGE_FAULT: the address of the access; UINT64_MAX: unknown */
} weft_reply;

typedef struct weft_run {
    uint32_t kind, args_bytes;
    uint64_t sequence;
    uint64_t function;
    uint64_t arenas; /* arenas of the first thread; each thread has local_bytes for local memory, then context_bytes */
    uint64_t local_bytes, context_bytes;
    uint64_t threads;      /* number of threads worth waking */
    uint64_t code_version; /* changes when code has been overwritten by other code */
    weft_launch launch; /* argument bytes follow */
} weft_run;

typedef struct weft_output {
    uint32_t kind, length; /* the text follows */
} weft_output;

#endif
