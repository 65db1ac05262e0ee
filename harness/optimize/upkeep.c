/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/optimize/session.h"

const char *const ifr_upkeep_names[] = {"check", "refresh", "stable"};

/* --- the plan ---------------------------------------------------------------------------------------------------- */

/* Leaves the axes that variants of the kit can have: without templates, the object files hold what the compiler's axes
 * made of them. */
static void keep_axes(struct session *session) {
	const bool templates = ifr_builder_count_templates(session->search.stages.builder);
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (ifr_axes[i].owner != IFR_OWNER_RELINKER && !(templates && ifr_axes[i].owner == IFR_OWNER_PLUGIN))
			session->plan.axis[i].on = false;
}

static int read_plan(struct session *session, const char *path, struct ifr_upkeep *upkeep, struct ifr_error *err) {
	const struct ifr_relinker *relinker = session->search.stages.source.relinker;
	struct ifr_strings missing = {0};
	int result = ifr_plan_read(path, &session->plan, err);
	if (result)
		return result;
	const size_t named = ifr_plan_list_missing(&session->plan, relinker, &missing);
	if (!ifr_plan_concerns(&session->plan, relinker))
		result = ifr_fail(err, IFR_E_USAGE, "%s has none of the units of %s",
		                  session->search.stages.search->campaign.argv[0], path);
	ifr_plan_drop_units(&session->plan, &missing);
	keep_axes(session);
	*session->plan.kit = '\0';
	upkeep->missing_count = missing.count;
	upkeep->missing = ifr_missing_units_describe(&missing, named);
	ifr_strings_release(&missing);
	return result;
}

/* --- the steps --------------------------------------------------------------------------------------------------- */

/* Recordings may be of an earlier build. */
static int record(struct session *session, struct ifr_error *err) {
	const struct ifr_optimization *request = session->search.stages.search;
	int result = 0;
	for (size_t i = 0; i < request->workload_count && !result; i++) {
		char *base = stage_name("program", &request->workloads[i]), *name = ifr_format("%s.trace", base),
			 *path = stage_file(&session->search.stages, name);
		result = ifr_tree_remove(path, err);
		free(path);
		free(name);
		free(base);
	}
	return result ? result : search_read_code(&session->search, err);
}

static int confirm(struct session *session, struct ifr_error *err) {
	struct trial layout = {.time = NAN, .candidate = {.origin = CANDIDATE_ORDERED}};
	ifr_plan_copy(&layout.candidate.plan, &session->plan);
	const int result = search_confirm(&session->search, &layout, err);
	candidate_release(&layout.candidate);
	return result;
}

/* Writes the layout in all forms, beside a plan's file. */
static int write_pins(struct session *session, const char *plan_file, struct ifr_error *err) {
	const struct ifr_relinker *relinker = session->search.stages.source.relinker;
	struct ifr_optimum *optimum = session->search.optimum;
	optimum->plan_file = ifr_strdup(plan_file);
	optimum->order_file = pin_form_file(plan_file, ".order");
	optimum->sections_file = pin_form_file(plan_file, ".sections");
	int result = pin_write_plan(relinker, &session->plan, plan_file, err);
	if (!result)
		result = pin_write_order(relinker, &session->plan, optimum->order_file, optimum->sections_file, err);
	return result ? result : pin_write_forms(relinker, &session->plan, plan_file, err);
}

/* Whether all workloads are confirmed. */
static bool is_confirmed(const struct ifr_upkeep *upkeep) {
	return upkeep->optimum.workload_count && upkeep->optimum.confirmed_count >= upkeep->optimum.workload_count;
}

static int run_steps(struct session *session, const struct ifr_upkeep_request *request, struct ifr_upkeep *upkeep,
                     struct ifr_error *err) {
	int result = request->plan_file ? read_plan(session, request->plan_file, upkeep, err) : 0;
	if (!result && request->kind != IFR_UPKEEP_CHECK)
		result = record(session, err);
	if (!result && request->kind == IFR_UPKEEP_REFRESH)
		result = session_repair(session, upkeep, err);
	if (!result && request->kind == IFR_UPKEEP_STABLE)
		result = session_stabilise(session, upkeep, err);
	if (!result && !session->search.stages.interrupted)
		result = confirm(session, err);
	/* A stable layout may be worth its price. */
	if (!result && request->output && is_confirmed(upkeep) &&
	    (request->kind == IFR_UPKEEP_STABLE || ifr_upkeep_holds(upkeep)))
		result = write_pins(session, request->output, err);
	return result;
}

/* --- the face ---------------------------------------------------------------------------------------------------- */

int ifr_upkeep_run(const struct ifr_upkeep_request *request, struct ifr_upkeep *upkeep, struct ifr_error *err) {
	struct session session;
	*upkeep = (struct ifr_upkeep){.kind = request->kind};
	ifr_plan_init(&session.plan);
	int result = search_open(&session.search, request->search, &upkeep->optimum, err);
	if (!result)
		result = run_steps(&session, request, upkeep, err);
	search_close(&session.search);
	ifr_plan_release(&session.plan);
	return result;
}

void ifr_upkeep_release(struct ifr_upkeep *upkeep) {
	free(upkeep->missing);
	ifr_optimum_release(&upkeep->optimum);
	*upkeep = (struct ifr_upkeep){0};
}

bool ifr_upkeep_holds(const struct ifr_upkeep *upkeep) {
	return is_confirmed(upkeep) &&
	       (upkeep->kind == IFR_UPKEEP_STABLE ? !upkeep->optimum.slower : upkeep->optimum.found);
}
