/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The misses of a set under LRU, by stack distances. */
#ifndef IFR_HARNESS_PROBE_LRU_H
#define IFR_HARNESS_PROBE_LRU_H

#include <stddef.h>
#include <stdint.h>

/* Misses in a period of a sequence that repeats, over lines that lie `span` apart: accesses since whose line's last one
 * `ways` or more other lines came. Ref: Mattson et al. 1970, section 3. */
size_t probe_lru_misses(const uint64_t *addresses, size_t count, size_t ways, uint64_t span);

/* The misses in a period of accesses, over and over, in so many sets of as many ways, by lines of so many bytes. */
size_t probe_lru_misses_of_sets(const uint64_t *addresses, size_t count, size_t ways, uint64_t line, size_t sets);

#endif
