/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/audit_mechanism.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/build/build.h"
#include "harness/commands/alias_output.h"
#include "harness/output/output.h"
#include "harness/simulate/simulate.h"

enum { NAMED = 6 };

/* A trigger's recording and its layouts of the lowest and the highest median. */
struct evidence {
	struct ifr_trace *trace;
	struct ifr_machine *machine;
	struct ifr_builder *builder; /* NULL: without a kit */
	struct ifr_plan plans[2];
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

static bool goes_along(const struct ifr_audit_row *row, const char *event) {
	bool along = !strcmp(row->analysis->metric->name, event);
	for (size_t i = 0; i < row->event_count; i++)
		along |= !strcmp(row->events[i].name, event) && !row->events[i].constant && row->events[i].r > IFR_AUDIT_R;
	return along;
}

static int open_evidence(const struct ifr_campaign *campaign, const struct ifr_audit_row *row,
                         struct evidence *evidence, struct ifr_error *err) {
	const struct ifr_kit *kit = campaign->programs->kit;
	char *file = ifr_format("%s/%s.exp.trace", campaign->file, row->trigger);
	int result = ifr_trace_open(file, &evidence->trace, err);
	if (!result)
		result = ifr_machine_open(&evidence->machine, campaign->machine, err);
	for (unsigned i = 0; i < 2 && !result; i++) {
		const struct ifr_layout *layout = find_extreme(row->analysis, i);
		const char *plan = layout ? layout->variant->plan : "";
		result = ifr_plan_parse(plan, strlen(plan), "plan", &evidence->plans[i], err);
	}
	if (!result && kit && ifr_layout_needs_kit(&evidence->plans[1]))
		result = ifr_builder_open(kit, &evidence->builder, err);
	free(file);
	return result;
}

static void close_evidence(struct evidence *evidence) {
	ifr_builder_close(evidence->builder);
	ifr_plan_release(&evidence->plans[0]);
	ifr_plan_release(&evidence->plans[1]);
	ifr_machine_free(evidence->machine);
	ifr_trace_free(evidence->trace);
}

static void put_point(struct ifr_buffer *out, struct ifr_buffer *text) {
	struct ifr_buffer plain = {0};
	ifr_escape_plain(&plain, ifr_buffer_text(text));
	ifr_text_wrap(out, ifr_buffer_text(&plain), "  - ", "    ");
	ifr_buffer_clear(text);
	ifr_buffer_release(&plain);
}

static void put_change(const struct ifr_named_change *change, const char *event, struct ifr_buffer *text) {
	if (change->data)
		ifr_buffer_printf(text,
		                  "%s: %" PRIu64 " of %s in %s in the worst layout (0x%" PRIx64 "), %" PRIu64
		                  " in the best (0x%" PRIx64 ").",
		                  event, change->events[1], change->data, change->code, change->address[1],
		                  change->events[0], change->address[0]);
	else
		ifr_buffer_printf(text,
		                  "%s: %" PRIu64 " bytes of code in %s enter %" PRIu64 " in the worst layout (0x%" PRIx64
		                  "), %" PRIu64 " in the best (0x%" PRIx64 "); in all %" PRIu64 " and %" PRIu64 ".",
		                  event, change->bytes, change->code, change->each[1], change->address[1], change->each[0],
		                  change->address[0], change->events[1], change->events[0]);
}

static void name_changes(const struct evidence *evidence, enum ifr_event event, struct ifr_buffer *out) {
	const struct ifr_plan *const plans[] = {&evidence->plans[0], &evidence->plans[1]};
	struct ifr_named_changes named = {0};
	struct ifr_buffer text = {0};
	if (!ifr_changes_name(evidence->trace, evidence->builder, plans, evidence->machine, event, NAMED, &named,
	                      NULL))
		for (size_t i = 0; i < named.count; i++) {
			put_change(&named.items[i], ifr_event_name(event), &text);
			put_point(out, &text);
		}
	if (named.all > named.count) {
		ifr_buffer_printf(&text, "%s: %zu more differ%s, by %+" PRId64 " in all.", ifr_event_name(event),
		                  named.all - named.count, named.all - named.count == 1 ? "s" : "", named.rest);
		put_point(out, &text);
	}
	ifr_named_changes_release(&named);
	ifr_buffer_release(&text);
}

static void put_conflict(const struct ifr_named_conflicts *named, const struct ifr_named_conflict *conflict,
                         const char *event, struct ifr_buffer *text) {
	ifr_buffer_printf(text, "%s: in the worst layout %zu %s meet in set %u of the %s, which has %u way%s: ", event,
	                  conflict->lines, strcmp(named->structure, "BTB") ? "lines" : "branches", conflict->set,
	                  named->structure, named->ways, named->ways == 1 ? "" : "s");
	for (size_t i = 0; i < conflict->names.count && i < NAMED; i++)
		ifr_buffer_printf(text, "%s%s", i ? ", " : "", conflict->names.items[i]);
	if (conflict->names.count > NAMED)
		ifr_buffer_printf(text, " and %zu more", conflict->names.count - NAMED);
	if (conflict->sets > 1)
		ifr_buffer_printf(text, "; so they do in %zu sets", conflict->sets);
	ifr_buffer_printf(text, ". They miss there %" PRIu64 " times, in the best layout %" PRIu64 " time%s.",
	                  conflict->misses[1], conflict->misses[0], conflict->misses[0] == 1 ? "" : "s");
}

static void name_conflicts(const struct evidence *evidence, enum ifr_event event, struct ifr_buffer *out) {
	const struct ifr_plan *const plans[] = {&evidence->plans[0], &evidence->plans[1]};
	struct ifr_named_conflicts named = {0};
	struct ifr_buffer text = {0};
	if (!ifr_conflicts_name(evidence->trace, evidence->builder, plans, evidence->machine,
	                        (enum ifr_conflict_structure)ifr_conflicts_structure(event), NAMED, &named, NULL))
		for (size_t i = 0; i < named.count; i++) {
			put_conflict(&named, &named.items[i], ifr_event_name(event), &text);
			put_point(out, &text);
		}
	if (named.rest_sets) {
		ifr_buffer_printf(&text,
		                  "%s: %zu more set%s miss%s more often in the worst layout, by %" PRIu64 " in all.",
		                  ifr_event_name(event), named.rest_sets, named.rest_sets == 1 ? "" : "s",
		                  named.rest_sets == 1 ? "es" : "", named.rest);
		put_point(out, &text);
	}
	ifr_named_conflicts_release(&named);
	ifr_buffer_release(&text);
}

/* One event for each structure: loads and stores meet in the same sets. */
static void name_all_conflicts(const struct evidence *evidence, const struct ifr_audit_row *row,
                               struct ifr_buffer *out) {
	unsigned named = 0;
	for (int event = 0; event < IFR_EVENT_COUNT; event++) {
		const int structure = ifr_conflicts_structure((enum ifr_event)event);
		if (structure < 0 || named & 1u << structure || !goes_along(row, ifr_event_name((enum ifr_event)event)))
			continue;
		named |= 1u << structure;
		name_conflicts(evidence, (enum ifr_event)event, out);
	}
}

/* Whether the mechanism behind an event has names. */
static bool is_named(enum ifr_event event) {
	return event == IFR_EVENT_ADDRESS_ALIAS || ifr_changes_know(event) || ifr_conflicts_structure(event) >= 0;
}

static void name_aliases(const struct evidence *evidence, struct ifr_buffer *out) {
	struct ifr_named_aliases named = {0};
	if (!ifr_aliases_name(evidence->trace, &evidence->plans[1], evidence->machine, NAMED, &named, NULL))
		alias_output_print(&named, out);
	ifr_named_aliases_release(&named);
}

void audit_mechanism_name(const struct ifr_campaign *campaign, struct ifr_audit_row *row) {
	struct evidence evidence = {0};
	struct ifr_buffer text = {0};
	bool wanted = false;
	for (int event = 0; event < IFR_EVENT_COUNT && row->found; event++)
		wanted |= is_named((enum ifr_event)event) && goes_along(row, ifr_event_name((enum ifr_event)event));
	if (!wanted)
		return;
	ifr_plan_init(&evidence.plans[0]);
	ifr_plan_init(&evidence.plans[1]);
	const bool open = !open_evidence(campaign, row, &evidence, NULL);
	if (open && goes_along(row, ifr_event_name(IFR_EVENT_ADDRESS_ALIAS)))
		name_aliases(&evidence, &text);
	for (int event = 0; event < IFR_EVENT_COUNT && open; event++)
		if (ifr_changes_know((enum ifr_event)event) && goes_along(row, ifr_event_name((enum ifr_event)event)))
			name_changes(&evidence, (enum ifr_event)event, &text);
	if (open)
		name_all_conflicts(&evidence, row, &text);
	if (text.length)
		row->mechanism = ifr_buffer_detach(&text);
	ifr_buffer_release(&text);
	close_evidence(&evidence);
}
