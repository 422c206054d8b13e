/* Finds the Python that Weft was installed for. */
#ifndef WEFT_LOCATE_H
#define WEFT_LOCATE_H

#include <limits.h>

struct weft_location {
    char library[PATH_MAX];    /* this shared object */
    char site[PATH_MAX];       /* the folder that holds the package `weft` */
    char packages[PATH_MAX];   /* recorded folder of the packages that it needs, or empty */
    char version[16];          /* such as "3.11", or empty if unknown */
    char program[PATH_MAX];    /* the interpreter of the environment, or empty */
    char libpython[PATH_MAX];  /* recorded path of the shared library of the interpreter, or empty */
    char prefixes[2][PATH_MAX]; /* where to look for a libpython: the environment and its base, or empty */
};

/* Fills in `location`; fields that cannot be determined stay empty. */
void weft_locate(struct weft_location *location);

/* Opens libpython with global symbols, as extension modules expect; NULL if there is none. */
void *weft_open_libpython(const struct weft_location *location);

#endif
