/* Functions called by work-group functions that have several versions of a work-item loop. A record has the layout that
 * weft/abi.py describes; `count` is the number of versions. */
#ifndef WEFT_LOOP_CHOICE_H
#define WEFT_LOOP_CHOICE_H

#include <stdint.h>

/* Returns the version to run next while versions are tried, from 1: the one that was called least. */
uint64_t weft_strategy_to_try(volatile uint64_t *record, uint64_t count);
/* Notes the time of a call; when enough is known, the fastest version is selected. */
void weft_strategy_tried(volatile uint64_t *record, uint64_t count, uint64_t strategy, uint64_t items, uint64_t cycles);
/* Counts a launch; after enough of them the versions are tried again. */
void weft_loop_launched(volatile uint64_t *record, uint64_t count);

#endif
