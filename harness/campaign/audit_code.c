/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/campaign/audit_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/campaign/audit_state.h"
#include "harness/campaign/confirmation.h"

/* --- choice ----------------------------------------------------------------------------------------------------- */

static double find_share(const struct ifr_analysis *analysis, const char *unit) {
	for (size_t i = 0; i < analysis->units->hot_count; i++)
		if (!strcmp(analysis->units->hot[i].unit->name, unit))
			return analysis->units->hot[i].share;
	return 0;
}

/* Whether a finding is about the place of one function, which can be moved alone. */
static bool can_confirm(const struct ifr_audit_code_search *search, const struct ifr_finding *finding) {
	const struct ifr_unit_addresses *addresses = &search->addresses;
	const size_t unit = ifr_unit_addresses_index(addresses, finding->unit);
	return finding->feature < IFR_FEATURE_PAGE && unit < addresses->unit_count &&
	       !(addresses->pins && addresses->pins[unit]);
}

/* Functions of one object file keep their distances under some axes. Their classes hold the same layouts then, added
 * up in another order. */
static bool is_alike(const struct ifr_finding *a, const struct ifr_finding *b) {
	static const double rounding = 1e-9;
	return a->feature == b->feature && fabs(a->classes.f - b->classes.f) <= rounding * fabs(a->classes.f);
}

static void choose(struct ifr_audit_code_search *search) {
	const struct ifr_attribution *attribution = &search->attribution;
	struct ifr_audit_code *code = &search->code;
	for (size_t i = 0; i < attribution->count; i++) {
		const struct ifr_finding *finding = &attribution->findings[i];
		const double share = find_share(search->row->analysis, finding->unit);
		const bool significant = i < attribution->found, alike = code->finding && is_alike(code->finding, finding);
		if (!can_confirm(search, finding) || (code->significant && !alike))
			continue;
		code->alike += code->significant;
		if (share > code->share || (significant && !code->finding)) {
			code->finding = finding;
			code->significant = significant;
			code->share = share;
		}
	}
}

/* Where the function would have its best class in the program that ships. */
static void find_remedy(const struct ifr_unit_addresses *addresses, struct ifr_audit_code *code) {
	const size_t unit = ifr_unit_addresses_index(addresses, code->finding->unit);
	const struct ifr_unit_extent extent = {addresses->shipped ? addresses->shipped[unit] : 0, 0};
	if (!extent.at)
		return;
	code->best_at = ifr_finding_address(code->finding, (unsigned)code->finding->classes.lowest, extent,
	                                    (struct ifr_unit_extent){0});
	code->lead = ifr_unit_addresses_lead(addresses, unit);
}

static uint64_t find_address(const struct ifr_audit_code_search *search, const struct ifr_pick *pick) {
	const struct ifr_unit_addresses *addresses = &search->addresses;
	const size_t unit = ifr_unit_addresses_index(addresses, search->code.finding->unit);
	return pick->layout
	           ? addresses->at[(size_t)(pick->layout->variant - search->row->analysis->dataset->variants) *
	                               addresses->unit_count +
	                           unit]
	           : 0;
}

static void describe(struct ifr_audit_code_search *search) {
	const struct ifr_analysis *analysis = search->row->analysis;
	find_remedy(&search->addresses, &search->code);
	search->code.share = find_share(analysis, search->code.finding->unit);
	search->code.address[0] = find_address(search, &analysis->best);
	search->code.address[1] = find_address(search, &analysis->worst);
}

bool ifr_audit_code_adopt(struct ifr_audit_code_search *search, const char *unit) {
	const struct ifr_finding *chosen = search->code.finding;
	for (size_t i = 0; i < search->attribution.found && chosen; i++) {
		const struct ifr_finding *finding = &search->attribution.findings[i];
		if (strcmp(finding->unit, unit) || !is_alike(chosen, finding))
			continue;
		search->code.finding = finding;
		describe(search);
		return true;
	}
	return chosen && !strcmp(chosen->unit, unit);
}

void ifr_audit_code_find(const struct ifr_kit *kit, struct ifr_relinker *relinker, const struct ifr_audit_row *row,
                         struct ifr_audit_code_search *search) {
	const struct ifr_analysis *analysis = row->analysis;
	*search = (struct ifr_audit_code_search){.row = row};
	if (ifr_analysis_varies_process_alone(analysis) ||
	    ifr_unit_addresses_find(relinker, analysis->dataset, 0, &search->addresses, NULL))
		return;
	ifr_unit_addresses_find_sources(kit, relinker, &search->addresses);
	ifr_unit_map_mark(analysis, &search->addresses);
	if (ifr_attribution_make(analysis, &search->addresses, &search->attribution, NULL))
		return;
	choose(search);
	if (search->code.finding)
		describe(search);
}

/* --- confirmation ----------------------------------------------------------------------------------------------- */

char *ifr_audit_confirmation_file(const char *folder, const struct ifr_trigger *trigger) {
	return ifr_format("%s/%s.confirm", folder, trigger->name);
}

void ifr_audit_code_confirm(const struct ifr_audit *audit, struct ifr_relinker *relinker, int64_t budget_ns,
                            struct ifr_audit_code_search *search) {
	struct ifr_audit_code *code = &search->code;
	struct ifr_campaign campaign = audit->campaign;
	const struct ifr_confirmation confirmation = {.dataset = search->row->analysis->dataset,
	                                              .addresses = &search->addresses,
	                                              .relinker = relinker,
	                                              .finding = code->finding,
	                                              .metric = campaign.metric};
	char *counters = audit_drop_model(campaign.counters);
	search->file =
		ifr_audit_confirmation_file(campaign.file, &ifr_triggers[ifr_trigger_find(search->row->trigger)]);
	campaign.file = search->file;
	campaign.options = NULL;
	campaign.seed_given = false;
	campaign.one_look = true;
	campaign.budget_ns = budget_ns;
	campaign.counters = counters;
	code->experiment = search->file;
	if (!*counters)
		ifr_fail(&code->why_not, IFR_E_USAGE, "it is measured, and only the model counts");
	else
		code->confirmed = !ifr_confirmation_run(&confirmation, &campaign, &code->comparison, &code->why_not);
	free(counters);
}

void ifr_audit_code_release(struct ifr_audit_code_search *search) {
	ifr_attribution_release(&search->attribution);
	ifr_unit_addresses_release(&search->addresses);
	free(search->file);
	*search = (struct ifr_audit_code_search){0};
}
