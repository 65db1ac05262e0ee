/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mechanism behind a found trigger of an audit, as text. */
#ifndef IFR_HARNESS_AUDIT_MECHANISM_H
#define IFR_HARNESS_AUDIT_MECHANISM_H

#include "harness/campaign/campaign.h"

/* Lines of a report; NULL where nothing has a name. The caller frees them. */
char *audit_mechanism_describe(const struct ifr_mechanism *mechanism);
/* The same as the text of a JSON object: aliases, changes, conflicts. The caller frees it. */
char *audit_mechanism_print_json(const struct ifr_mechanism *mechanism);

#endif
