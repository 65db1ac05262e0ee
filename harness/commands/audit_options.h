/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of interfero audit; ifr_audit_argp (commands.h) parses them. */
#ifndef IFR_HARNESS_AUDIT_OPTIONS_H
#define IFR_HARNESS_AUDIT_OPTIONS_H

#include "harness/campaign/campaign.h"
#include "harness/commands/campaign_options.h"
#include "harness/commands/report_options.h"

struct audit_options {
	struct ifr_campaign campaign;
	struct printing_options printing;
	const char *triggers;
	uint64_t cures;            /* measured at most */
	bool *wanted;              /* [ifr_trigger_count] */
	const char *model_machine; /* for findings by the clock */
	bool environment_given;
	uint64_t environment_offset, environment_increment; /* bytes */
};

enum { AUDIT_CURES_USUAL = 3, AUDIT_ENVIRONMENT_STEP = 16 };

#endif
