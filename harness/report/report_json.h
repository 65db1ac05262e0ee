/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the JSON report in files of their own. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_JSON_H
#define IFR_HARNESS_REPORT_JSON_H

#include <stdlib.h>

#include <jansson.h>

#include "harness/report/report.h"

/* The findings of a sweep; null where the layouts are random. */
json_t *ifr_json_sweep(const struct ifr_analysis *analysis);
/* Kinds and nodes, and the layout effects that kinds share; null where one machine ran all. */
json_t *ifr_json_machines(const struct ifr_machine_findings *from);

#endif
