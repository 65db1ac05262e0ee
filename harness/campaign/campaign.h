/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Campaigns: a design carried out into an experiment (campaign_plan.h), a finding confirmed by an experiment of its
 * own (confirmation.h), an audit, which is a campaign for each trigger (audit.h), and a cure, which is a campaign with
 * and without it (cure.h). */
#ifndef IFR_HARNESS_CAMPAIGN_H
#define IFR_HARNESS_CAMPAIGN_H

#include "harness/campaign/audit.h"
#include "harness/campaign/audit_code.h"
#include "harness/campaign/campaign_plan.h"
#include "harness/campaign/confirmation.h"
#include "harness/campaign/cure.h"
#include "harness/campaign/cure_candidates.h"
#include "harness/campaign/mechanism.h"

#endif
