/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/campaign/cure_candidates.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/campaign/cure.h"
#include "harness/campaign/cure_places.h"

void cure_candidate_add(struct ifr_cure_candidates *list, const struct ifr_audit_row *row, struct ifr_plan *plan,
                        const char *event, char *reason) {
	unsigned rank = 0;
	for (size_t i = 0; i < list->count; i++)
		rank += list->items[i].row == row;
	list->items = ifr_realloc(list->items, list->count + 1, sizeof *list->items);
	list->items[list->count++] =
		(struct ifr_cure_candidate){.plan = *plan, .reason = reason, .event = event, .row = row, .rank = rank};
	ifr_plan_init(plan);
}

static void add_line(struct ifr_cure_candidates *list, const struct ifr_audit_row *row, enum ifr_axis axis,
                     const char *words, const char *event, char *reason) {
	struct ifr_plan plan;
	ifr_plan_init(&plan);
	if (ifr_plan_set(&plan, axis, words, NULL)) {
		ifr_plan_release(&plan);
		free(reason);
		return;
	}
	cure_candidate_add(list, row, &plan, event, reason);
}

/* --- the heap --------------------------------------------------------------------------------------------------- */

/* Whether the allocator of large blocks places the data; the size is not always known. */
static bool is_block(const struct ifr_site *site) {
	enum { SMALL_MOST = 32768 };
	return site->kind == IFR_SITE_HEAP && (!site->bytes || site->bytes > SMALL_MOST);
}

/* Far enough that no store under way is met. Ref: Intel 64 and IA-32 Architectures Optimization Reference Manual, on 4K
 * aliasing. */
enum { PADDING = 128, PAGE = 4096 };

static unsigned find_distance(const struct ifr_named_alias *pair) {
	const unsigned ahead = (unsigned)((pair->load.address - pair->store.address) % PAGE);
	return ahead < PAGE - ahead ? ahead : PAGE - ahead;
}

static void propose_blocks(const struct ifr_audit_row *row, const struct ifr_named_aliases *aliases,
                           struct ifr_cure_candidates *list) {
	for (size_t i = 0; i < aliases->count; i++) {
		const struct ifr_named_alias *pair = &aliases->items[i];
		/* The allocator knows of large blocks alone: where the other side lies elsewhere, they are not moved away. */
		if (!cure_is_main_pair(aliases, i) || !is_block(&pair->load.site) || !is_block(&pair->store.site))
			continue;
		add_line(
			list, row, IFR_AXIS_BLOCKS, "seed=0 policy=2", ifr_event_name(IFR_EVENT_ADDRESS_ALIAS),
			ifr_format(
				"loads of %s in %s meet stores to %s modulo 4096, %u bytes apart there; large blocks as far "
				"apart as possible do not. In the source, %u bytes of padding in front of one of the two stand "
				"for it, which is not measured here",
				pair->load.data, pair->load.code, pair->store.data, find_distance(pair), PADDING));
		return;
	}
}

/* --- loops ------------------------------------------------------------------------------------------------------ */

/* The function of a unit ".text.hot": its symbol, as patterns of the compiler's axes take it; "" where the section has
 * many. */
static const char *find_function(const char *section) {
	static const char *const groups[] = {".text.unlikely.", ".text.hot.", ".text.startup.", ".text.exit.",
	                                     ".text."};
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		if (!strncmp(section, groups[i], strlen(groups[i])))
			return section + strlen(groups[i]);
	return "";
}

/* The loops of the function that loads: the compiler checks their addresses, and the pair needs not be apart. */
static void propose_check(const struct ifr_cure_program *program, const struct ifr_audit_row *row,
                          const struct ifr_named_aliases *aliases, struct ifr_cure_candidates *list) {
	if (ifr_builder_check(program->builder, 1u << IFR_AXIS_ALIAS_CHECK, NULL))
		return;
	for (size_t i = 0; i < aliases->count; i++) {
		const struct ifr_named_alias *pair = &aliases->items[i];
		struct ifr_relinker_unit unit;
		if (!cure_is_main_pair(aliases, i) || !cure_find_unit(program, &pair->load.block, &unit) ||
		    !*find_function(unit.section))
			continue;
		/* No recording tells what the second version executes: the model has no say. */
		char *words = ifr_format("seed=0 only=%s", find_function(unit.section));
		add_line(list, row, IFR_AXIS_ALIAS_CHECK, words, NULL,
		         ifr_format(
					 "loads of %s in %s meet stores to %s modulo 4096; a second version of the loop loads before "
					 "it stores, and a check of the addresses chooses it",
					 pair->load.data, pair->load.code, pair->store.data));
		free(words);
		return;
	}
}

/* The stack of the function whose variables in the stack meet others: aligned at its entry, they are at the same bytes
 * modulo 4096 in every environment. */
static void propose_stack(const struct ifr_cure_program *program, const struct ifr_audit_row *row,
                          const struct ifr_named_aliases *aliases, struct ifr_cure_candidates *list) {
	if (ifr_builder_check(program->builder, 1u << IFR_AXIS_FRAMES, NULL))
		return;
	for (size_t i = 0; i < aliases->count; i++) {
		const struct ifr_named_alias *pair = &aliases->items[i];
		const bool loads = pair->load.site.kind == IFR_SITE_STACK;
		const struct ifr_alias_name *stack = loads ? &pair->load : &pair->store;
		struct ifr_relinker_unit unit;
		if (!cure_is_main_pair(aliases, i) || stack->site.kind != IFR_SITE_STACK ||
		    pair->load.site.kind == pair->store.site.kind || !cure_find_unit(program, &stack->block, &unit) ||
		    !*find_function(unit.section))
			continue;
		/* The model has no say: the code is another one. */
		char *words = ifr_format("seed=0 max=0 align-bytes=%u only=%s", PAGE, find_function(unit.section));
		add_line(
			list, row, IFR_AXIS_FRAMES, words, NULL,
			ifr_format(
				"%s in %s, in the stack, meets %s modulo 4096 in some environments; with the stack aligned at "
				"the function's entry, it lies at the same bytes in all of them",
				stack->data, stack->code, loads ? pair->store.data : pair->load.data));
		free(words);
		return;
	}
}

static unsigned window_bytes(enum ifr_event event) {
	return event < IFR_EVENT_WINDOWS_16 ? 0 : 16u << (event - IFR_EVENT_WINDOWS_16);
}

/* Only what enters more windows in the worst layout: a loop before it in the function may enter fewer. */
static void propose_loop(const struct ifr_cure_program *program, const struct ifr_audit_row *row,
                         const struct ifr_mechanism_changes *changes, struct ifr_cure_candidates *list) {
	for (size_t i = 0; i < changes->named.count; i++) {
		const struct ifr_named_change *change = &changes->named.items[i];
		struct ifr_relinker_unit unit;
		if (change->data || change->each[1] <= change->each[0] || !cure_find_unit(program, &change->site, &unit))
			continue;
		const char *function = find_function(unit.section);
		if (!*function || !ifr_builder_count_templates(program->builder))
			continue;
		char *words =
			ifr_format("seed=0 loop-bytes=%u functions=0 only=%s", window_bytes(changes->event), function);
		add_line(list, row, IFR_AXIS_ALIGN, words, ifr_event_name(changes->event),
		         ifr_format("%s enters %" PRIu64 " windows of %u bytes in the worst layout and %" PRIu64
		                    " in the best; the compiler begins its loops at such a window",
		                    change->code, change->each[1], window_bytes(changes->event), change->each[0]));
		free(words);
		return;
	}
}

/* --- a function whose place was confirmed to matter ------------------------------------------------------------- */

static bool is_confirmed(const struct ifr_audit_row *row) {
	const struct ifr_audit_code *code = row->code;
	return code && code->confirmed && code->comparison.interval.low > 1 && code->best_at;
}

static void propose_place(const struct ifr_audit_row *row, struct ifr_cure_candidates *list) {
	const struct ifr_audit_code *code = row->code;
	struct ifr_plan plan;
	if (!is_confirmed(row))
		return;
	ifr_plan_init(&plan);
	if (code->lead)
		ifr_plan_place(&plan, code->lead);
	ifr_plan_place_at(&plan, code->finding->unit, code->best_at);
	cure_candidate_add(
		list, row, &plan, NULL,
		ifr_format("the function at its best place, which moving it alone found to be %.2g %% below its worst",
	               100 * (1 - 1 / code->comparison.ratio)));
}

/* --- a pinned layout -------------------------------------------------------------------------------------------- */

static void propose_best(const struct ifr_audit_row *row, const struct ifr_mechanism *mechanism,
                         struct ifr_cure_candidates *list) {
	struct ifr_plan plan;
	if (!mechanism->has_plans || !ifr_cure_makes_file(&mechanism->plans[0]))
		return;
	ifr_plan_copy(&plan, &mechanism->plans[0]);
	*plan.name = '\0';
	*plan.kit = '\0';
	cure_candidate_add(
		list, row, &plan, NULL,
		ifr_format("it was the best of %zu %s; \"interfero layout --addresses --plan\" makes of it a "
	               "plan that other builds can keep",
	               row->layouts, row->sets));
}

/* --- all -------------------------------------------------------------------------------------------------------- */

void ifr_cure_candidates_add(const struct ifr_cure_program *program, const struct ifr_audit_row *row,
                             const struct ifr_mechanism *mechanism, struct ifr_cure_candidates *list) {
	if (!row->found)
		return;
	if (program->builder) {
		propose_place(row, list);
		cure_propose_places(program, row, mechanism, list);
	}
	if (program->has_loader)
		propose_blocks(row, &mechanism->aliases, list);
	if (program->builder && mechanism->aliases.count) {
		propose_check(program, row, &mechanism->aliases, list);
		propose_stack(program, row, &mechanism->aliases, list);
	}
	for (size_t i = 0; i < mechanism->change_count && program->builder; i++)
		if (window_bytes(mechanism->changes[i].event))
			propose_loop(program, row, &mechanism->changes[i], list);
	propose_best(row, mechanism, list);
}

static int compare_promise(const void *left, const void *right) {
	const struct ifr_cure_candidate *a = left, *b = right;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (is_confirmed(a->row) != is_confirmed(b->row))
		return is_confirmed(a->row) ? -1 : 1;
	if (a->row != b->row && a->row->range_pct != b->row->range_pct)
		return a->row->range_pct > b->row->range_pct ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static void release_candidate(struct ifr_cure_candidate *candidate) {
	ifr_plan_release(&candidate->plan);
	free(candidate->reason);
}

static bool same_plan(const struct ifr_plan *a, const struct ifr_plan *b) {
	struct ifr_buffer one = {0}, other = {0};
	ifr_plan_print(a, &one);
	ifr_plan_print(b, &other);
	const bool same = !strcmp(ifr_buffer_text(&one), ifr_buffer_text(&other));
	ifr_buffer_release(&one);
	ifr_buffer_release(&other);
	return same;
}

void ifr_cure_candidates_choose(struct ifr_cure_candidates *list, size_t most) {
	size_t kept = 0;
	if (list->count)
		qsort(list->items, list->count, sizeof *list->items, compare_promise);
	for (size_t i = 0; i < list->count; i++) {
		bool known = kept == most;
		for (size_t j = 0; j < kept && !known; j++)
			known = same_plan(&list->items[j].plan, &list->items[i].plan);
		if (known)
			release_candidate(&list->items[i]);
		else
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

void ifr_cure_candidates_release(struct ifr_cure_candidates *list) {
	for (size_t i = 0; i < list->count; i++)
		release_candidate(&list->items[i]);
	free(list->items);
	*list = (struct ifr_cure_candidates){0};
}
