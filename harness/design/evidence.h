/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evidence of an interim analysis. Private to the stopping rules. */
#ifndef IFR_HARNESS_EVIDENCE_H
#define IFR_HARNESS_EVIDENCE_H

#include "harness/design/stopping_rule.h"

/* A goal that is reached with a lower probability ends the experiment. */
extern const double evidence_prospect_least;

/* Reads the experiment and analyses it by the rule's metric. Errors: those of reading and of the analysis. */
int evidence_read(const struct ifr_stopping_rule *rule, const char *experiment, struct ifr_evidence *evidence,
                  struct ifr_error *err);

/* Whether an effect of z standard errors at the rule's analysis is unlikely to be significant at the last one: the
 * conditional power under the estimated effect is below 5 %. Ref: Lan, Simon and Halperin 1982. */
bool evidence_is_hopeless(const struct ifr_stopping_rule *rule, double z);

#endif
