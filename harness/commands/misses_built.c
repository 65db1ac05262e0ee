/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Advised prefetches of a program that was built with them: those that do not pay are taken out.
 *
 * A prefetch of use hides as many cycles as pass from it to the reference, at most those of a miss, and with a core all
 * those of a load hide at most what the core waits for that load. All prefetches cost, also those of lines that are there
 * already. The instructions have the lines of their loads, or of the call that they
 * stand before (plugin/prefetch_place.cc). */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/commands/misses_advice.h"

static bool names_match(const char *name, const struct ifr_source_position *source) {
	return strlen(name) == ifr_prefetch_name_length(source->function) &&
	       !strncmp(name, source->function, strlen(name));
}

static bool is_at(const struct ifr_source_position *source, unsigned line) {
	return source->line >= source->declared && source->line - source->declared == line;
}

/* Whether an instruction has the line of an advised load, and its column. */
static bool is_in_line(const struct ifr_load_position *position, const struct ifr_prefetch *prefetch,
                       bool any_column) {
	const struct ifr_source_position *source = &position->source;
	if (!position->program || !position->known || !names_match(prefetch->function, source) ||
	    strcmp(prefetch->file, source->file) || (!any_column && prefetch->column != source->column))
		return false;
	return is_at(source, prefetch->line) ||
	       (prefetch->text && source->text &&
	        ifr_prefetch_text(source->text, strlen(source->text)) == prefetch->text);
}

/* Whether a prefetch instruction was placed for an advised load. */
static bool is_of(const struct ifr_load_position *position, const struct ifr_prefetch *prefetch, bool any_column) {
	const struct ifr_source_position *source = &position->source;
	const bool before_call = position->program && position->known && prefetch->caller &&
	                         names_match(prefetch->caller, source) && is_at(source, prefetch->caller_line);
	return before_call || is_in_line(position, prefetch, any_column);
}

/* Sums the instructions of an advised load up. Where its column has no load, the compiler took those of its line. */
static struct ifr_prefetch_count sum_up(const struct ifr_load_prefetches *all,
                                        const struct ifr_load_position *positions,
                                        const struct ifr_prefetch *prefetch) {
	struct ifr_prefetch_count sum = {0};
	for (unsigned any_column = 0; any_column < 2 && !sum.executed; any_column++)
		for (size_t i = 0; i < all->count; i++) {
			if (!is_of(&positions[i], prefetch, any_column))
				continue;
			sum.executed += all->items[i].executed;
			sum.used += all->items[i].used;
			sum.lead += all->items[i].lead;
		}
	return sum;
}

/* Cycles for which the core waits for an advised load, without prefetches; infinite where no core was asked, or nothing
 * is known of the load. */
static double find_stalls(const struct misses_result *result, const struct ifr_load_position *loads,
                          const struct ifr_prefetch *prefetch) {
	double stalls = 0;
	bool found = false;
	for (unsigned any_column = 0; any_column < 2 && !found; any_column++)
		for (size_t i = 0; i < result->profile.count; i++) {
			if (!is_in_line(&loads[i], prefetch, any_column))
				continue;
			found = true;
			stalls += result->profile.summary.loads[result->profile.order[i]].stalls;
		}
	return result->core && found ? stalls : INFINITY;
}

/* Cycles that a prefetch of use hides. */
static double find_hidden(const struct misses_result *result, const struct ifr_prefetch_count *count,
                          double stalls) {
	const double lead = count->used ? (double)count->lead / (double)count->used / MISSES_INSTRUCTIONS_A_CYCLE : 0;
	const double hidden = lead < result->latency.miss ? lead : result->latency.miss;
	return hidden * (double)count->used > stalls ? stalls / (double)count->used : hidden;
}

static void judge(const struct misses_result *result, const struct ifr_prefetch_count *count, double stalls,
                  struct ifr_prefetch prefetch, struct misses_advice *advice) {
	const double hidden = find_hidden(result, count, stalls), overhead = result->latency.overhead;
	const double gain = (double)count->used * hidden - (double)count->executed * overhead;
	char *load = ifr_format("%s, line %u", prefetch.function, prefetch.line);
	if (gain > 0) {
		prefetch.gain = (uint64_t)gain;
		ifr_prefetches_add(&advice->prefetches, &prefetch);
	} else if (!count->executed) {
		misses_advice_leave(advice, load, ifr_strdup("the program executes no prefetch of it"));
	} else {
		misses_advice_leave(
			advice, load,
			ifr_format(
				"%.1f%% of its prefetches are of use and hide %.1f cycles each: less than the %.1f that each "
				"costs",
				100 * (double)count->used / (double)count->executed, hidden, overhead));
	}
	free(load);
}

void misses_advice_keep(const struct misses_result *result, const struct ifr_trace *trace,
                        const struct ifr_prefetches *built, struct misses_advice *advice) {
	const struct ifr_load_prefetches *prefetches = &result->profile.prefetches;
	struct ifr_load_position *positions, *loads;
	*advice = (struct misses_advice){0};
	ifr_prefetch_positions_find(trace, prefetches, &positions);
	ifr_load_positions_find(trace, &result->profile.summary.sites, result->profile.order, result->profile.count,
	                        &loads);
	for (size_t i = 0; i < built->count; i++) {
		const struct ifr_prefetch_count count = sum_up(prefetches, positions, &built->items[i]);
		judge(result, &count, find_stalls(result, loads, &built->items[i]), built->items[i], advice);
	}
	ifr_load_positions_release(loads, result->profile.count);
	ifr_load_positions_release(positions, prefetches->count);
}

/* --- the clock --------------------------------------------------------------------------------------------------- */

/* Leaves all loads out that are still advised. */
static void leave_all(struct misses_advice *advice, double change_pct, double low_pct, double high_pct) {
	for (size_t i = 0; i < advice->prefetches.count; i++) {
		const struct ifr_prefetch *prefetch = &advice->prefetches.items[i];
		char *load = ifr_format("%s, line %u", prefetch->function, prefetch->line);
		misses_advice_leave(advice, load,
		                    ifr_format("by the clock the build is not faster: %+.1f%% (%+.1f to %+.1f%%)",
		                               change_pct, low_pct, high_pct));
		free(load);
	}
	ifr_prefetches_release(&advice->prefetches);
}

int misses_advice_measure(const char *path, struct misses_advice *advice, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	double ratio = 0, low = 0, high = 0;
	int result = ifr_file_read_named(path, IFR_PREFETCH_FILE_MOST, &text, err);
	if (result)
		return result;
	json_t *root = json_loadb(ifr_buffer_text(&text), text.length, 0, NULL);
	json_t *overview = json_object_get(root, "overview");
	if (json_array_size(overview) != 1 || json_unpack(json_array_get(overview, 0), "{s:F, s:{s:F, s:F}}", "ratio",
	                                                  &ratio, "interval", "low", &low, "high", &high))
		result = ifr_fail(err, IFR_E_USAGE,
		                  "%s is no result of one comparison: make it by \"interfero compare --json\"", path);
	else if (high >= 1)
		leave_all(advice, 100 * (ratio - 1), 100 * (low - 1), 100 * (high - 1));
	json_decref(root);
	ifr_buffer_release(&text);
	return result;
}
