/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mechanism behind a found trigger of an audit: names from the recording beside its experiment. */
#ifndef IFR_HARNESS_AUDIT_MECHANISM_H
#define IFR_HARNESS_AUDIT_MECHANISM_H

#include "harness/campaign/campaign.h"
#include "harness/report/report.h"

/* Fills row->mechanism where the trigger was found, and events go along with the metric (r > IFR_AUDIT_R) that the model
 * can name: pairs behind aliases, accesses across lines and pages, blocks that enter windows. campaign: of the audit, its
 * file the folder. Without a recording there is nothing to name. */
void audit_mechanism_name(const struct ifr_campaign *campaign, struct ifr_audit_row *row);

#endif
