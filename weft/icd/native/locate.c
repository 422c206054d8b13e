/* Finds the interpreter by the path of this shared object.

   An installed Weft is in <prefix>/lib/pythonX.Y/site-packages/weft/icd. The path of a source tree that was
   installed in editable mode says nothing; there `weft icd` and the build leave a record beside the library. */

#define _GNU_SOURCE
#include "locate.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MULTIARCH_FOLDER "lib/x86_64-linux-gnu"
#elif defined(__aarch64__)
#define MULTIARCH_FOLDER "lib/aarch64-linux-gnu"
#else
#define MULTIARCH_FOLDER "lib"
#endif

/* Removes the last component of `path`. */
static void to_parent(char *path) {
    char *slash = strrchr(path, '/');
    if (slash) *slash = 0;
}

/* Joins two parts into a buffer of PATH_MAX bytes; a path that does not fit becomes empty. */
static void join(char *out, const char *folder, const char *name) {
    int length = snprintf(out, PATH_MAX, "%s/%s", folder, name);
    if (length < 0 || length >= PATH_MAX) *out = 0;
}

/* Reads the value of `key` from a file of `key = value` lines; returns whether there is one. */
static int read_key(const char *file, const char *key, char *out, size_t size) {
    FILE *stream = fopen(file, "re");
    if (!stream) return 0;
    char line[PATH_MAX + 64];
    int found = 0;
    while (!found && fgets(line, sizeof line, stream)) {
        char *equals = strchr(line, '=');
        if (!equals) continue;
        size_t end = (size_t)(equals - line);
        while (end && line[end - 1] == ' ') end--;
        if (end != strlen(key) || strncmp(line, key, end)) continue;
        char *value = equals + 1 + strspn(equals + 1, " ");
        value[strcspn(value, "\r\n")] = 0;
        found = snprintf(out, size, "%s", value) < (int)size;
    }
    fclose(stream);
    return found;
}

static void read_place(struct weft_location *location) {
    char path[PATH_MAX];
    strcpy(path, location->site);
    to_parent(path); /* .../lib/pythonX.Y */
    const char *name = strrchr(path, '/');
    int major, minor, used = 0;
    if (!name || sscanf(name, "/python%d.%d%n", &major, &minor, &used) != 2 || name[used]) return;
    snprintf(location->version, sizeof location->version, "%d.%d", major, minor);
    to_parent(path);
    to_parent(path); /* the prefix */
    strcpy(location->prefixes[0], path);

    char file[PATH_MAX], home[PATH_MAX], interpreter[32];
    join(file, path, "pyvenv.cfg");
    if (read_key(file, "home", home, sizeof home)) {
        strcpy(location->prefixes[1], home);
        to_parent(location->prefixes[1]);
    }
    snprintf(interpreter, sizeof interpreter, "bin/python%s", location->version);
    join(location->program, path, interpreter);
    if (access(location->program, X_OK)) join(location->program, path, "bin/python3");
    if (access(location->program, X_OK)) *location->program = 0;
}

void weft_locate(struct weft_location *location) {
    memset(location, 0, sizeof *location);
    Dl_info info;
    if (!dladdr((void *)weft_locate, &info) || !realpath(info.dli_fname, location->library)) return;
    char record[PATH_MAX];
    strcpy(location->site, location->library);
    to_parent(location->site);
    join(record, location->site, "libweft_opencl.python");
    to_parent(location->site);
    to_parent(location->site);
    if (read_key(record, "version", location->version, sizeof location->version)) {
        read_key(record, "program", location->program, sizeof location->program);
        read_key(record, "packages", location->packages, sizeof location->packages);
        read_key(record, "libpython", location->libpython, sizeof location->libpython);
    } else {
        read_place(location);
    }
}

void *weft_open_libpython(const struct weft_location *location) {
    const char *const folders[] = {"lib", "lib64", MULTIARCH_FOLDER};
    const int flags = RTLD_NOW | RTLD_GLOBAL;
    char name[64], folder[PATH_MAX], path[PATH_MAX];
    void *library = NULL;
    if (*location->libpython) library = dlopen(location->libpython, flags);
    if (library || !*location->version) return library;
    snprintf(name, sizeof name, "libpython%s.so.1.0", location->version);
    for (int p = 1; p >= 0; p--) {
        for (size_t f = 0; !library && *location->prefixes[p] && f < sizeof folders / sizeof *folders; f++) {
            join(folder, location->prefixes[p], folders[f]);
            join(path, folder, name);
            if (!access(path, R_OK)) library = dlopen(path, flags);
        }
    }
    return library ? library : dlopen(name, flags);
}
