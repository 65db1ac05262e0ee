/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Misses that go away in another layout (`interfero misses --against`): a matter of placement. */
#ifndef IFR_HARNESS_MISSES_AGAINST_H
#define IFR_HARNESS_MISSES_AGAINST_H

#include <jansson.h>

#include "harness/commands/misses_result.h"

/* Prints the loads that miss less there, and what meets in sets here. */
void misses_put_against(const struct misses_result *result, struct ifr_buffer *out);
/* Its sentences: the layout as a whole, and a conflict. */
void misses_say_against(const struct misses_result *result, struct ifr_buffer *text);
void misses_say_conflict(const struct misses_result *result, const struct ifr_named_conflict *conflict,
                         struct ifr_buffer *text);
/* The same as misses_put_against; null without another layout. */
json_t *misses_json_against(const struct misses_result *result);

#endif
