/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The function behind the differences between layouts of a program's file that an audit found, and the intervention that
 * confirms it: the function moves alone (confirmation.h), and the clock decides. */
#ifndef IFR_HARNESS_CAMPAIGN_AUDIT_CODE_H
#define IFR_HARNESS_CAMPAIGN_AUDIT_CODE_H

#include "harness/analysis/analysis.h"
#include "harness/campaign/audit.h"
#include "relinker/relinker.h"

/* One row's function, with what its strings are borrowed from. */
struct ifr_audit_code_search {
	const struct ifr_audit_row *row;
	struct ifr_unit_addresses addresses;
	struct ifr_attribution attribution;
	struct ifr_audit_code code; /* its finding is NULL where no function is suspected */
	char *file;                 /* of the confirmation */
};

/* Chooses the function whose address most likely makes the layouts of a row differ: that of the most significant finding,
 * among those that run before others; of functions that lie at the same offsets in all layouts the hottest; where no
 * finding is significant, the hottest function of all, as a suspect. row: found; where its layouts move no code, nothing
 * is chosen. kit and relinker: of the program. The caller releases the search. */
void ifr_audit_code_find(const struct ifr_kit *kit, struct ifr_relinker *relinker, const struct ifr_audit_row *row,
                         struct ifr_audit_code_search *search);
/* Chooses a function that another row names, where it lies at the same offsets as the one chosen here in all layouts, or
 * is that one; returns whether it does. */
bool ifr_audit_code_adopt(struct ifr_audit_code_search *search, const char *unit);
/* Moves the function alone in the layouts of its trigger, in FOLDER/TRIGGER.confirm, and notes what came of it in the
 * code. budget_ns: 0: none. */
void ifr_audit_code_confirm(const struct ifr_audit *audit, struct ifr_relinker *relinker, int64_t budget_ns,
                            struct ifr_audit_code_search *search);
void ifr_audit_code_release(struct ifr_audit_code_search *search);

#endif
