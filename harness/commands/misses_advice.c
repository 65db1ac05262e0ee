/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A prefetch is worth V cycles a reference if the misses that it hides stall more. It is judged for all references of a
 * load, and for those in the contexts that a compiler can follow: the call of its function, or each n-th one.
 * Misses stall L cycles each by the machine's penalties; with --core, what its core computed. */
#include "harness/commands/misses_advice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"

enum { DISTANCE_MOST = 64, LINE_USUAL = 64 };

/* A load under judgement. */
struct judged {
	const struct misses_result *result;
	const struct ifr_load_count *load;
	const struct ifr_load_position *position;
	uint64_t misses, there; /* there: in the layout that is compared with */
	double latency;         /* of one of its misses */
};

static double percent(uint64_t part, uint64_t whole) {
	return whole ? 100 * (double)part / (double)whole : 0;
}

/* Cycles that a miss of this load stalls. */
static double find_latency(const struct misses_result *result, const struct ifr_load_count *load) {
	if (result->core)
		return load->misses[result->level] ? load->stalls / (double)load->misses[result->level] : 0;
	if (result->latency_given)
		return result->latency.miss;
	return misses_latency_of(load, result->profile.summary.levels, result->machine, result->level);
}

static double find_gain(const struct judged *judged, uint64_t references, uint64_t misses) {
	return (double)misses * judged->latency - (double)references * judged->result->latency.overhead;
}

/* Iterations that take as long as a miss. */
static unsigned find_distance(const struct judged *judged) {
	const double wait = judged->result->core ? judged->result->latency.miss : judged->latency;
	const double cycles = (double)judged->load->gap / MISSES_INSTRUCTIONS_A_CYCLE;
	const double iterations = cycles > 0 ? ceil(wait / cycles) : 1;
	return iterations < 1 ? 1 : iterations > DISTANCE_MOST ? DISTANCE_MOST : (unsigned)iterations;
}

static struct ifr_prefetch describe(const struct judged *judged) {
	const struct ifr_source_position *source = &judged->position->source;
	struct ifr_prefetch prefetch = {.function = source->function,
	                                .file = source->file,
	                                .column = source->column,
	                                .number = judged->position->number,
	                                .distance = find_distance(judged),
	                                .references = judged->load->references,
	                                .misses = judged->misses};
	prefetch.function[ifr_prefetch_name_length(prefetch.function)] = '\0';
	prefetch.line = source->line - source->declared;
	prefetch.text = source->text ? ifr_prefetch_text(source->text, strlen(source->text)) : 0;
	return prefetch;
}

static void add(struct misses_advice *advice, struct ifr_prefetch *prefetch, double gain) {
	prefetch->gain = gain > 0 ? (uint64_t)gain : 0;
	ifr_prefetches_add(&advice->prefetches, prefetch);
}

void misses_advice_leave(struct misses_advice *advice, const char *load, char *why) {
	advice->left = ifr_realloc(advice->left, advice->left_count + 1, sizeof *advice->left);
	advice->left[advice->left_count++] = (struct misses_left){ifr_strdup(load), why};
}

/* --- contexts ---------------------------------------------------------------------------------------------------- */

/* The profile of a load's contexts, or NULL: its ratio is not intermediate. */
static const struct ifr_profiled_load *find_profile(const struct misses_result *result, uint32_t load,
                                                    const struct ifr_judged_load **judged) {
	for (size_t i = 0; i < result->profile.context_count; i++)
		if (result->profile.contexts[i].load == load) {
			*judged = &result->judged.items[i];
			return &result->profile.contexts[i];
		}
	return NULL;
}

/* Adds a prefetch for each call from which the load misses, if it does not from all. Returns how many. */
static unsigned advise_calls(const struct judged *judged, const struct ifr_load_context_list *list,
                             unsigned length, struct ifr_trace *trace, struct misses_advice *advice) {
	struct ifr_load_caller *callers;
	const size_t count =
		ifr_load_callers_find(trace, &judged->result->profile.summary.sites, list, length, &callers);
	unsigned advised = 0;
	bool cold = false;
	for (size_t i = 0; i < count; i++)
		cold |= find_gain(judged, callers[i].references, callers[i].misses) <= 0;
	for (size_t i = 0; i < count && cold; i++) {
		struct ifr_prefetch prefetch = describe(judged);
		const double gain = find_gain(judged, callers[i].references, callers[i].misses);
		if (gain <= 0 || !callers[i].source.function)
			continue;
		callers[i].source.function[ifr_prefetch_name_length(callers[i].source.function)] = '\0';
		prefetch.context = IFR_PREFETCH_CALL;
		prefetch.caller = callers[i].source.function;
		prefetch.caller_line = callers[i].source.line - callers[i].source.declared;
		prefetch.references = callers[i].references;
		prefetch.misses = callers[i].misses;
		prefetch.only_in_context = find_gain(judged, judged->load->references, judged->misses) <= 0;
		add(advice, &prefetch, gain);
		advised++;
	}
	ifr_load_callers_release(callers, count);
	return advised;
}

/* The n of "each n-th time", where the load's own outcomes tell its misses; 0: its misses have no such period. */
static unsigned find_period(const struct judged *judged) {
	const double ratio = (double)judged->load->references / (double)judged->misses, whole = floor(ratio + 0.5);
	return whole >= 2 && whole <= LINE_USUAL && fabs(ratio - whole) < 0.1 * whole ? (unsigned)whole : 0;
}

/* Advises by context, where one tells more than the ratio. Returns how many prefetches. */
static unsigned advise_contexts(const struct judged *judged, uint32_t load, struct ifr_trace *trace,
                                struct misses_advice *advice) {
	const struct misses_result *result = judged->result;
	const struct ifr_judged_load *contexts = NULL;
	const struct ifr_profiled_load *profile = find_profile(result, load, &contexts);
	if (!profile || contexts->kind < 0)
		return 0;
	const int length = contexts->lengths[contexts->kind];
	if (contexts->kind == IFR_LOAD_CONTEXT_CONTROL_FLOW)
		return advise_calls(judged, &profile->lists[contexts->kind][length], result->lengths[length], trace,
		                    advice);
	const unsigned period = contexts->kind == IFR_LOAD_CONTEXT_SELF ? find_period(judged) : 0;
	const double gain = (double)judged->misses * (judged->latency - result->latency.overhead);
	if (!period || gain <= 0)
		return 0;
	struct ifr_prefetch prefetch = describe(judged);
	prefetch.context = IFR_PREFETCH_SELF;
	prefetch.period = period;
	add(advice, &prefetch, gain);
	return 1;
}

/* --- loads ------------------------------------------------------------------------------------------------------- */

/* Why no compiler can place a prefetch for a load at all, or NULL. */
static char *refuse(const struct judged *judged) {
	if (!judged->position->program)
		return ifr_strdup("it is not the program's own code");
	if (!judged->position->known)
		return ifr_strdup("its line is not known: compile with -g");
	if (judged->position->source.line < judged->position->source.declared)
		return ifr_strdup("its line is before its function, as in a macro");
	if (judged->latency <= 0)
		return ifr_strdup("the core hides its misses");
	if (judged->result->against && find_gain(judged, judged->load->references, judged->misses) > 0 &&
	    find_gain(judged, judged->load->references, judged->there) <= 0)
		return ifr_format("%" PRIu64 " of its %" PRIu64 " misses go away in the layout of %s",
		                  judged->misses - judged->there, judged->misses, judged->result->against);
	return NULL;
}

static void judge(const struct misses_result *result, size_t rank, const struct ifr_load_position *position,
                  struct ifr_trace *trace, struct misses_advice *advice) {
	const uint32_t number = result->profile.order[rank];
	const struct ifr_load_count *load = &result->profile.summary.loads[number];
	const struct judged judged = {.result = result,
	                              .load = load,
	                              .position = position,
	                              .misses = load->misses[result->level],
	                              .there = result->against ? result->profile.against[number] : 0,
	                              .latency = find_latency(result, load)};
	const char *name = result->profile.names[rank].code;
	char *why = refuse(&judged);
	if (why) {
		misses_advice_leave(advice, name, why);
		return;
	}
	if (advise_contexts(&judged, number, trace, advice))
		return;
	const double gain = find_gain(&judged, load->references, judged.misses);
	if (gain <= 0) {
		misses_advice_leave(
			advice, name,
			ifr_format(
				"%.1f%% of its references miss, %.1f cycles each: less than the %.1f that each prefetch costs",
				percent(judged.misses, load->references), judged.latency, result->latency.overhead));
		return;
	}
	struct ifr_prefetch prefetch = describe(&judged);
	add(advice, &prefetch, gain);
}

/* --- the whole --------------------------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b) {
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_place(const struct ifr_prefetch *a, const struct ifr_prefetch *b) {
	return a->line == b->line && a->column == b->column && a->number == b->number && a->context == b->context &&
	       a->caller_line == b->caller_line && same_text(a->function, b->function) &&
	       same_text(a->file, b->file) && same_text(a->caller, b->caller);
}

/* Copies of one load in the code, as by inlining, are one for the compiler: the first gets the sum. */
static void join_copies(struct ifr_prefetches *all) {
	struct ifr_prefetches joined = {0};
	for (size_t i = 0; i < all->count; i++) {
		size_t k = 0;
		while (k < joined.count && !same_place(&joined.items[k], &all->items[i]))
			k++;
		if (k == joined.count) {
			ifr_prefetches_add(&joined, &all->items[i]);
			continue;
		}
		joined.items[k].references += all->items[i].references;
		joined.items[k].misses += all->items[i].misses;
		joined.items[k].gain += all->items[i].gain;
	}
	ifr_prefetches_release(all);
	*all = joined;
}

static int compare_gain(const void *left, const void *right) {
	const struct ifr_prefetch *a = left, *b = right;
	if (a->gain != b->gain)
		return a->gain < b->gain ? 1 : -1;
	const int names = strcmp(a->function, b->function);
	return names ? names : (a->line > b->line) - (a->line < b->line);
}

void misses_advice_make(const struct misses_result *result, struct ifr_trace *trace,
                        struct misses_advice *advice) {
	const size_t count = result->profile.named;
	struct ifr_load_position *positions;
	*advice = (struct misses_advice){0};
	ifr_load_positions_find(trace, &result->profile.summary.sites, result->profile.order, count, &positions);
	for (size_t i = 0; i < count; i++)
		judge(result, i, &positions[i], trace, advice);
	ifr_load_positions_release(positions, count);
	join_copies(&advice->prefetches);
	if (advice->prefetches.count)
		qsort(advice->prefetches.items, advice->prefetches.count, sizeof *advice->prefetches.items, compare_gain);
}

void misses_advice_release(struct misses_advice *advice) {
	for (size_t i = 0; i < advice->left_count; i++) {
		free(advice->left[i].load);
		free(advice->left[i].why);
	}
	free(advice->left);
	ifr_prefetches_release(&advice->prefetches);
	*advice = (struct misses_advice){0};
}
