/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes that are parts of the program: the loads or the branches of a source line, a line, a function. */
#ifndef IFR_HARNESS_ICOST_SITES_H
#define IFR_HARNESS_ICOST_SITES_H

#include "common/strings.h"
#include "harness/simulate/simulate.h"

struct ifr_icost_sites {
	struct ifr_cause_about about[IFR_CAUSE_SITES]; /* by site */
	struct ifr_site_marks marks;
	size_t count;
};

/* Finds what requests name: "load:FILE:LINE", "branch:FILE:LINE", "line:FILE:LINE", "function:NAME". Errors: IFR_E_USAGE
 * for another form, more than IFR_CAUSE_SITES, a place that the run did not execute or that has no loads or branches, and
 * for two that have instructions in common. The caller releases the sites, after an error, too. */
int ifr_icost_sites_find(const struct ifr_trace *trace, const struct ifr_machine *machine,
                         const struct ifr_strings *requests, struct ifr_icost_sites *sites, struct ifr_error *err);
/* Whether a request has one of these forms. Errors: IFR_E_USAGE. */
int ifr_icost_site_check(const char *request, struct ifr_error *err);
/* Whether cycles of a site, by its name, are cycles of a cause of the machine, too: of both, either saves them. */
bool ifr_icost_site_is_part(const char *site, enum ifr_cause cause);
/* The set of all of them. */
uint32_t ifr_icost_sites_set(const struct ifr_icost_sites *sites);
void ifr_icost_sites_release(struct ifr_icost_sites *sites);

#endif
