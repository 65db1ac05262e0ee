/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a probe by the clock that are done, in a file: an interrupted probe goes on behind them. */
#ifndef IFR_HARNESS_PROBE_PARTIAL_H
#define IFR_HARNESS_PROBE_PARTIAL_H

#include "harness/probe/probe.h"

/* Writes the findings of `done` parts (bits), and the time that they took. Errors: IFR_E_ENVIRONMENT. */
int probe_partial_write(const char *path, const struct ifr_probe_result *result, unsigned done, int64_t spent_ns,
                        struct ifr_error *err);
/* Adds the findings. Errors: IFR_E_USAGE if there is no file, or one of another seed, processor or version. */
int probe_partial_read(const char *path, struct ifr_probe_result *result, unsigned *done, int64_t *spent_ns,
                       struct ifr_error *err);

#endif
