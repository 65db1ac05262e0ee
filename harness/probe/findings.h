/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects findings. */
#ifndef IFR_HARNESS_PROBE_FINDINGS_H
#define IFR_HARNESS_PROBE_FINDINGS_H

#include "harness/probe/probe.h"

/* Adds a value that is exact. key: of a setting, or a name of its own without a dot. */
void probe_tell(struct ifr_probe_result *result, enum ifr_probe_part part, const char *key, const char *unit,
                double value, const char *experiment, ...) __attribute__((format(printf, 6, 7)));
/* Adds a value with its interval. */
void probe_tell_interval(struct ifr_probe_result *result, enum ifr_probe_part part, const char *key,
                         const char *unit, const double value_low_high[3], const char *experiment, ...)
	__attribute__((format(printf, 6, 7)));
void probe_tell_word(struct ifr_probe_result *result, enum ifr_probe_part part, const char *key, const char *word,
                     const char *experiment);
void probe_tell_nothing(struct ifr_probe_result *result, enum ifr_probe_part part, const char *key,
                        const char *why, ...) __attribute__((format(printf, 4, 5)));
/* Adds the findings of an experiment that was made twice, in two processes: a value is told where both tell it and
 * agree, settings exactly, others by a twentieth or overlapping intervals; its interval includes both. Curves of both
 * and the steps of the first are taken over. */
void probe_tell_agreed(struct ifr_probe_result *result, const struct ifr_probe_result *one,
                       const struct ifr_probe_result *other);
/* Adds the findings of events and of the clock. Of one key those of events come first, and the clock's where these
 * are not told; a setting of which both tell another value is not told. Curves of both, and the steps, are taken
 * over. */
void probe_tell_joined(struct ifr_probe_result *result, const struct ifr_probe_result *by_events,
                       const struct ifr_probe_result *by_clock);
/* Adds a curve, with room for its points, which the caller fills. */
struct ifr_probe_curve *probe_add_curve(struct ifr_probe_result *result, enum ifr_probe_part part,
                                        const char *title, const char *x_label, size_t count);
void probe_add_step(struct ifr_probe_result *result, unsigned step, unsigned parameter, double missed);

/* Adds what the nearest built-in description has to the experiments of its settings, where one is near. */
void probe_add_published(struct ifr_probe_result *result);

#endif
