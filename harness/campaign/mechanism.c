/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/campaign/mechanism.h"

#include <stdlib.h>
#include <string.h>

#include "harness/build/build.h"

/* A trigger's recording. */
struct evidence {
	struct ifr_trace *trace;
	struct ifr_machine *machine;
	struct ifr_builder *builder; /* NULL: without a kit */
};

static const struct ifr_layout *find_extreme(const struct ifr_analysis *analysis, bool highest) {
	const struct ifr_layout *found = NULL;
	for (size_t i = 0; i < analysis->layout_count; i++) {
		const struct ifr_layout *layout = &analysis->layouts[i];
		if (layout->count && layout->variant->layout && !layout->variant->refused &&
		    (!found || (highest ? layout->median > found->median : layout->median < found->median)))
			found = layout;
	}
	return found;
}

static int read_plans(const struct ifr_audit_row *row, struct ifr_mechanism *mechanism, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < 2 && !result; i++) {
		const struct ifr_layout *layout = find_extreme(row->analysis, i);
		const char *plan = layout ? layout->variant->plan : "";
		result = ifr_plan_parse(plan, strlen(plan), "plan", &mechanism->plans[i], err);
	}
	return result;
}

static bool is_event(const char *source, const char *name, enum ifr_event which) {
	return !strcmp(source, "model") && ifr_counter_is_named(name, source, ifr_event_name(which));
}

/* sign: 1 for what there is more of in slow layouts, -1 for what there is less of. */
static bool goes_with(const struct ifr_audit_row *row, enum ifr_event which, int sign) {
	bool along = is_event(row->analysis->metric->source, row->analysis->metric->name, which);
	for (size_t i = 0; i < row->event_count; i++)
		along |= is_event(row->events[i].source, row->events[i].name, which) && !row->events[i].constant &&
		         sign * row->events[i].r > IFR_AUDIT_R;
	return along;
}

static bool goes_along(const struct ifr_audit_row *row, enum ifr_event which) {
	return goes_with(row, which, 1);
}

/* Without a core there are the windows alone, on which op cache and loop buffer depend. */
static bool loops_go_along(const struct ifr_audit_row *row) {
	static const enum ifr_event slow[] = {IFR_EVENT_WINDOWS_16, IFR_EVENT_WINDOWS_32, IFR_EVENT_WINDOWS_64,
	                                      IFR_EVENT_DECODER_SLOTS, IFR_EVENT_UNDELIVERED},
								fast[] = {IFR_EVENT_OP_CACHE_SLOTS, IFR_EVENT_LOOP_BUFFER_SLOTS};
	bool along = false;
	for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
		along |= goes_along(row, slow[i]);
	for (size_t i = 0; i < sizeof fast / sizeof *fast; i++)
		along |= goes_with(row, fast[i], -1);
	return along;
}

/* Whether the mechanism behind an event has names. */
static bool is_named(enum ifr_event event) {
	return event == IFR_EVENT_ADDRESS_ALIAS || ifr_changes_know(event) || ifr_conflicts_structure(event) >= 0;
}

static int open_evidence(const struct ifr_campaign *campaign, const struct ifr_audit_row *row,
                         const struct ifr_mechanism *mechanism, struct evidence *evidence, struct ifr_error *err) {
	const struct ifr_kit *kit = campaign->programs->kit;
	char *file = row->model_experiment ? ifr_format("%s.trace", row->model_experiment)
	                                   : ifr_format("%s/%s.exp.trace", campaign->file, row->trigger);
	int result = ifr_trace_open(file, &evidence->trace, err);
	if (!result)
		result =
			ifr_machine_open(&evidence->machine, row->model_machine ? row->model_machine : campaign->machine, err);
	if (!result && kit && ifr_layout_needs_kit(&mechanism->plans[1]))
		result = ifr_builder_open(kit, &evidence->builder, err);
	free(file);
	return result;
}

static void close_evidence(struct evidence *evidence) {
	ifr_builder_close(evidence->builder);
	ifr_machine_free(evidence->machine);
	ifr_trace_free(evidence->trace);
}

static void find_aliases(const struct evidence *evidence, const struct ifr_audit_row *row,
                         struct ifr_mechanism *mechanism) {
	const struct ifr_plan *const plans[] = {&mechanism->plans[0], &mechanism->plans[1]};
	if (goes_along(row, IFR_EVENT_ADDRESS_ALIAS))
		ifr_aliases_compare(evidence->trace, plans, evidence->machine, IFR_MECHANISM_NAMED, &mechanism->aliases,
		                    NULL);
}

static void find_changes(const struct evidence *evidence, const struct ifr_audit_row *row,
                         struct ifr_mechanism *mechanism) {
	const struct ifr_plan *const plans[] = {&mechanism->plans[0], &mechanism->plans[1]};
	for (int event = 0; event < IFR_EVENT_COUNT; event++) {
		struct ifr_mechanism_changes *made = &mechanism->changes[mechanism->change_count];
		made->event = (enum ifr_event)event;
		if (ifr_changes_know(made->event) && goes_along(row, made->event) &&
		    !ifr_changes_name(evidence->trace, evidence->builder, plans, evidence->machine, made->event,
		                      IFR_MECHANISM_NAMED, &made->named, NULL))
			mechanism->change_count++;
	}
}

static void find_conflicts(const struct evidence *evidence, const struct ifr_audit_row *row,
                           struct ifr_mechanism *mechanism) {
	const struct ifr_plan *const plans[] = {&mechanism->plans[0], &mechanism->plans[1]};
	unsigned known = 0;
	for (int event = 0; event < IFR_EVENT_COUNT; event++) {
		struct ifr_mechanism_conflicts *made = &mechanism->conflicts[mechanism->conflict_count];
		const int structure = ifr_conflicts_structure((enum ifr_event)event);
		if (structure < 0 || known & 1u << structure || !goes_along(row, (enum ifr_event)event))
			continue;
		known |= 1u << structure;
		made->event = (enum ifr_event)event;
		if (!ifr_conflicts_name(evidence->trace, evidence->builder, plans, evidence->machine,
		                        (enum ifr_conflict_structure)structure, IFR_MECHANISM_NAMED, &made->named, NULL))
			mechanism->conflict_count++;
	}
}

static void find_loops(const struct evidence *evidence, const struct ifr_audit_row *row,
                       struct ifr_mechanism *mechanism) {
	const struct ifr_plan *const plans[] = {&mechanism->plans[0], &mechanism->plans[1]};
	if (loops_go_along(row))
		ifr_loops_name(evidence->trace, evidence->builder, plans, evidence->machine, IFR_MECHANISM_NAMED,
		               &mechanism->loops, NULL);
}

void ifr_mechanism_find(const struct ifr_campaign *campaign, const struct ifr_audit_row *row,
                        struct ifr_mechanism *mechanism) {
	struct evidence evidence = {0};
	bool wanted;
	*mechanism = (struct ifr_mechanism){0};
	ifr_plan_init(&mechanism->plans[0]);
	ifr_plan_init(&mechanism->plans[1]);
	mechanism->has_plans = row->found && !read_plans(row, mechanism, NULL);
	wanted = mechanism->has_plans && loops_go_along(row);
	for (int event = 0; event < IFR_EVENT_COUNT && mechanism->has_plans; event++)
		wanted |= is_named((enum ifr_event)event) && goes_along(row, (enum ifr_event)event);
	if (wanted && !open_evidence(campaign, row, mechanism, &evidence, NULL)) {
		find_aliases(&evidence, row, mechanism);
		find_changes(&evidence, row, mechanism);
		find_conflicts(&evidence, row, mechanism);
		find_loops(&evidence, row, mechanism);
	}
	close_evidence(&evidence);
}

void ifr_mechanism_release(struct ifr_mechanism *mechanism) {
	for (unsigned i = 0; i < 2; i++)
		ifr_plan_release(&mechanism->plans[i]);
	ifr_named_aliases_release(&mechanism->aliases);
	for (size_t i = 0; i < mechanism->change_count; i++)
		ifr_named_changes_release(&mechanism->changes[i].named);
	ifr_named_loops_release(&mechanism->loops);
	for (size_t i = 0; i < mechanism->conflict_count; i++)
		ifr_named_conflicts_release(&mechanism->conflicts[i].named);
	*mechanism = (struct ifr_mechanism){0};
}
