/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface between a fuzz target and the driver. */
#ifndef IFR_TESTS_FUZZ_TARGET_H
#define IFR_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"

/* Runs one input; aborts where an invariant is broken. */
int ifr_fuzz_one(const unsigned char *data, size_t size);

/* May be left out: how long `make check-full` runs the target, in seconds; `make check` takes an eighth of it. */
extern const unsigned ifr_fuzz_seconds __attribute__((weak));

/* May be left out: changes an input in the target's own way; depends on bits, 64 uniform ones, alone. Three of
 * four mutations are then made by it. */
void ifr_fuzz_mutate(uint64_t bits, struct ifr_buffer *input) __attribute__((weak));

#endif
