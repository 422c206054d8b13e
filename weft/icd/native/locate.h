/* Where the Python is that Weft was installed for. */
#ifndef WEFT_LOCATE_H
#define WEFT_LOCATE_H

#include <limits.h>

struct weft_location {
    char library[PATH_MAX];    /* this shared object */
    char site[PATH_MAX];       /* the folder that holds the package `weft` */
    char packages[PATH_MAX];   /* where the packages are that it needs, if that is recorded, or empty */
    char version[16];          /* "3.11", or empty if it could not be told */
    char program[PATH_MAX];    /* the environment's interpreter, or empty */
    char libpython[PATH_MAX];  /* recorded path of the shared interpreter, or empty */
    char prefixes[2][PATH_MAX]; /* where to look for a libpython: the environment and its base, or empty */
};

/* Fills `location`; what cannot be found stays empty. */
void weft_locate(struct weft_location *location);

/* Opens libpython with global symbols, as extension modules expect; NULL if there is none. */
void *weft_open_libpython(const struct weft_location *location);

#endif
