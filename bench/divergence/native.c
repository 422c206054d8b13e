/* Runs the launches of a benchmark without Python, so that valgrind sees little more than compiled kernels.
 *
 *     native PLAN RESULT ROUNDS RECORDS LIBRARY...
 *
 * PLAN is written by native.py: the initial contents of the buffers, the loop records of each library, then the
 * launches. Each LIBRARY has the work-group function of one or more launches. All launches run ROUNDS times, from
 * the initial contents of the buffers; valgrind counts only what `counted_group` calls, which is the last round.
 * The final contents of the buffers are written to RESULT. The records of all libraries are initialized from the
 * file RECORDS, if it is not empty, and are written to it at the end.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void work_group(const void *launch, const void *args, void *local, void *context, uint64_t x,
                        uint64_t y, uint64_t z);

enum { ALIGNMENT = 128, LAUNCH_WORDS = 13, NUM_GROUPS = 9, SYMBOL = 128, FIRST_LIBRARY = 5, MOST = 1024 };

typedef struct buffer {
    uint64_t nbytes;
    char *first, *content;
} buffer;

static const char *at;   /* the position in the plan */

static uint64_t number(void) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
}

static const char *bytes(uint64_t nbytes) {
    const char *found = at;
    at += nbytes;
    return found;
}

static char *aligned(uint64_t nbytes) {
    uint64_t room = (nbytes / ALIGNMENT + 2) * ALIGNMENT;
    char *made = aligned_alloc(ALIGNMENT, room);
    if (!made) {
        perror("native");
        exit(1);
    }
    memset(made, 0, room);
    return made;
}

static char *read_all(const char *path) {
    FILE *file = fopen(path, "rb");
    long nbytes;
    if (!file || fseek(file, 0, SEEK_END) || (nbytes = ftell(file)) < 0) {
        perror(path);
        exit(1);
    }
    rewind(file);
    char *text = aligned((uint64_t)nbytes);
    if (fread(text, 1, (size_t)nbytes, file) != (size_t)nbytes) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return text;
}

__attribute__((noinline)) static void counted_group(work_group *run, const void *launch, const void *args,
                                                    void *local, void *context, uint64_t x, uint64_t y,
                                                    uint64_t z) {
    run(launch, args, local, context, x, y, z);
    __asm__ volatile("" ::: "memory");   /* prevents a tail call above */
}

static void run_launch(const buffer *buffers, void *const *libraries, int counted) {
    work_group *run = (work_group *)(uintptr_t)dlsym(libraries[number()], bytes(SYMBOL));
    if (!run) {
        fprintf(stderr, "native: %s\n", dlerror());
        exit(1);
    }
    uint64_t launch[LAUNCH_WORDS];
    memcpy(launch, bytes(sizeof launch), sizeof launch);
    uint64_t args_bytes = number();
    char *args = aligned(args_bytes);
    memcpy(args, bytes(args_bytes), args_bytes);
    for (uint64_t n = number(); n > 0; n--) {
        uint64_t offset = number();
        memcpy(args + offset, &buffers[number()].content, sizeof(char *));
    }
    uint64_t local_bytes = number();
    char *local = aligned(local_bytes), *context = aligned(number());
    const uint64_t *groups = launch + NUM_GROUPS;
    for (uint64_t z = 0; z < groups[2]; z++)
        for (uint64_t y = 0; y < groups[1]; y++)
            for (uint64_t x = 0; x < groups[0]; x++)
                if (counted)
                    counted_group(run, launch, args, local, context, x, y, z);
                else
                    run(launch, args, local, context, x, y, z);
    free(args);
    free(local);
    free(context);
}

/* Read or write the records of all libraries; if the file is empty or missing, they are unchanged. */
static void move_records(const char *path, const char *mode, const buffer *records, int count) {
    FILE *file = fopen(path, mode);
    for (int i = 0; file && i < count; i++) {
        size_t nbytes = records[i].nbytes;
        size_t moved = *mode == 'r' ? fread(records[i].content, 1, nbytes, file)
                                    : fwrite(records[i].content, 1, nbytes, file);
        if (moved != nbytes)
            break;
    }
    if (file)
        fclose(file);
}

int main(int count, char **arguments) {
    int library_count = count - FIRST_LIBRARY;
    if (library_count < 1 || library_count > MOST) {
        fprintf(stderr, "usage: native PLAN RESULT ROUNDS RECORDS LIBRARY...\n");
        return 2;
    }
    void *libraries[MOST];
    for (int i = 0; i < library_count; i++)
        if (!(libraries[i] = dlopen(arguments[FIRST_LIBRARY + i], RTLD_NOW))) {
            fprintf(stderr, "native: %s\n", dlerror());
            return 1;
        }
    at = read_all(arguments[1]);
    uint64_t buffer_count = number();
    buffer *buffers = calloc(buffer_count + 1, sizeof *buffers);
    if (!buffers)
        return 1;
    for (uint64_t i = 0; i < buffer_count; i++) {
        buffers[i].nbytes = number();
        buffers[i].content = aligned(buffers[i].nbytes);
        buffers[i].first = (char *)bytes(buffers[i].nbytes);
    }
    static buffer records[MOST];
    for (int i = 0; i < library_count; i++) {
        records[i].nbytes = number();
        records[i].content = dlsym(libraries[i], bytes(SYMBOL));
    }
    move_records(arguments[4], "rb", records, library_count);
    const char *launches = at;
    int rounds = atoi(arguments[3]);
    for (int round = 1; round <= rounds; round++) {
        for (uint64_t i = 0; i < buffer_count; i++)
            memcpy(buffers[i].content, buffers[i].first, buffers[i].nbytes);
        at = launches;
        for (uint64_t n = number(); n > 0; n--)
            run_launch(buffers, libraries, round == rounds);
    }
    move_records(arguments[4], "wb", records, library_count);
    FILE *result = fopen(arguments[2], "wb");
    for (uint64_t i = 0; result && i < buffer_count; i++)
        fwrite(buffers[i].content, 1, buffers[i].nbytes, result);
    if (!result || fclose(result)) {
        perror(arguments[2]);
        return 1;
    }
    return 0;
}
