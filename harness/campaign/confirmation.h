/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A finding is confirmed by moving that unit alone. Private to interfero blame. */
#ifndef IFR_HARNESS_INTERVENING_H
#define IFR_HARNESS_INTERVENING_H

#include "harness/analysis/unit_addresses.h"
#include "harness/campaign/campaign.h"
#include "harness/analysis/attribution.h"

struct intervention {
	const char *experiment, *metric; /* metric: NULL for the usual one */
	const struct ifr_dataset *dataset;
	struct ifr_report *report;
	struct ifr_relinker *relinker;
	struct ifr_addresses addresses;
};

/* Makes every layout of the experiment twice, with the unit of the surest finding that is not about pages at the
 * nearest place of its best class and of its worst, runs both interleaved with the campaign's command, and appends
 * what came of it. Layouts in which one of the places is impossible are left out of both. Errors: IFR_E_USAGE
 * where fewer than two remain. */
int intervene(const struct intervention *intervention, const struct ifr_code *code, struct ifr_campaign *campaign,
              struct ifr_buffer *text, struct ifr_error *err);

#endif
