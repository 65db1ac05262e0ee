/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evidence of an interim analysis. Private to the stopping rules. */
#ifndef IFR_HARNESS_EVIDENCE_H
#define IFR_HARNESS_EVIDENCE_H

#include "harness/design/stopping_rule.h"

/* Analyses the experiment by the rule's metric. */
int evidence_read(const struct ifr_stopping_rule *rule, const char *experiment, struct ifr_evidence *evidence,
                  struct ifr_error *err);

/* Whether an effect of z standard errors at the rule's analysis will hardly be significant at the last one: its
 * chance is below 5 %, should what the data show so far be true. */
bool evidence_is_hopeless(const struct ifr_stopping_rule *rule, double z);

#endif
