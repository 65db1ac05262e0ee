/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints what `interfero misses --advise` found: a table in 80 columns, and the file for the compiler. */
#include <inttypes.h>
#include <stdlib.h>

#include "harness/commands/misses_advice.h"
#include "harness/output/output.h"

enum { ADVICE_SCHEMA_VERSION = 1 };

char *misses_advice_context(const struct ifr_prefetch *prefetch) {
	if (prefetch->context == IFR_PREFETCH_SELF)
		return ifr_format("each %u. time", prefetch->period);
	if (prefetch->context == IFR_PREFETCH_CALL)
		return ifr_format("called by %s, line %u", prefetch->caller, prefetch->caller_line);
	return ifr_strdup("always");
}

static void put_prefetch(const struct ifr_prefetch *prefetch, struct ifr_buffer *out) {
	char *context = misses_advice_context(prefetch);
	char *first =
		ifr_format("%12" PRIu64 " %12" PRIu64 " %5.1f%% %8u  ", prefetch->gain, prefetch->misses,
	               prefetch->references ? 100 * (double)prefetch->misses / (double)prefetch->references : 0,
	               prefetch->distance);
	char *rest = ifr_format("%43s", "");
	char *text = ifr_format("%s, line %u: %s", prefetch->function, prefetch->line, context);
	ifr_text_wrap(out, text, first, rest);
	free(text);
	free(rest);
	free(first);
	free(context);
}

char *misses_advice_head(const struct misses_result *result, const struct misses_advice *advice) {
	if (!advice->prefetches.count)
		return ifr_format("No load is worth a prefetch, by the misses of the %s.",
		                  misses_level_name(result->level));
	return ifr_format(
		"%zu load%s worth a prefetch, by the misses of the %s (gain in cycles, %s):", advice->prefetches.count,
		advice->prefetches.count == 1 ? " is" : "s are", misses_level_name(result->level),
		result->core ? "of the core's stalls" : "of the machine's penalties");
}

void misses_advice_print(const struct misses_result *result, const struct misses_advice *advice,
                         struct ifr_buffer *out) {
	char *head = misses_advice_head(result, advice);
	ifr_text_wrap(out, head, "", "");
	free(head);
	if (advice->prefetches.count)
		ifr_buffer_printf(out, "\n%12s %12s %6s %8s  load, line from its function's: context\n", "gain", "misses",
		                  "ratio", "distance");
	for (size_t i = 0; i < advice->prefetches.count; i++)
		put_prefetch(&advice->prefetches.items[i], out);
	if (advice->left_count)
		ifr_buffer_puts(out, "\nNot worth one, or impossible:\n");
	for (size_t i = 0; i < advice->left_count; i++) {
		char *text = ifr_format("%s: %s", advice->left[i].load, advice->left[i].why);
		ifr_text_wrap(out, text, "  - ", "    ");
		free(text);
	}
}

static json_t *json_prefetch(const struct ifr_prefetch *prefetch) {
	json_t *object = json_object();
	ifr_json_set(object, "function", ifr_json_text(prefetch->function));
	ifr_json_set(object, "file", ifr_json_text(prefetch->file));
	ifr_json_set(object, "line", ifr_json_count(prefetch->line));
	ifr_json_set(object, "column", ifr_json_count(prefetch->column));
	ifr_json_set(object, "number", ifr_json_count(prefetch->number));
	ifr_json_set(object, "context", ifr_json_text(ifr_prefetch_contexts[prefetch->context]));
	ifr_json_set(object, "period", ifr_json_count(prefetch->period));
	ifr_json_set(object, "caller", ifr_json_text(prefetch->caller));
	ifr_json_set(object, "caller_line", ifr_json_count(prefetch->caller_line));
	ifr_json_set(object, "distance", ifr_json_count(prefetch->distance));
	ifr_json_set(object, "references", ifr_json_count(prefetch->references));
	ifr_json_set(object, "misses", ifr_json_count(prefetch->misses));
	ifr_json_set(object, "gain_cycles", ifr_json_count(prefetch->gain));
	return object;
}

void misses_advice_print_json(const struct misses_result *result, const struct misses_advice *advice,
                              struct ifr_buffer *out) {
	json_t *root = ifr_json_document(ADVICE_SCHEMA_VERSION, NULL, NULL), *loads = json_array(),
		   *left = json_array();
	ifr_json_set(root, "machine", ifr_json_text(result->machine_name));
	ifr_json_set(root, "level", ifr_json_text(misses_level_name(result->level)));
	for (size_t i = 0; i < advice->prefetches.count; i++)
		json_array_append_new(loads, json_prefetch(&advice->prefetches.items[i]));
	for (size_t i = 0; i < advice->left_count; i++) {
		json_t *object = json_object();
		ifr_json_set(object, "load", ifr_json_text(advice->left[i].load));
		ifr_json_set(object, "reason", ifr_json_text(advice->left[i].why));
		json_array_append_new(left, object);
	}
	ifr_json_set(root, "prefetches", loads);
	ifr_json_set(root, "left", left);
	ifr_json_print(root, out);
}

void misses_advice_print_file(const struct misses_result *result, const struct misses_advice *advice,
                              struct ifr_buffer *out) {
	struct ifr_buffer comments = {0};
	ifr_prefetches_print_head(out);
	ifr_buffer_printf(&comments, "loads by misses of the %s of %s, in %s", misses_level_name(result->level),
	                  result->machine_name, result->trace);
	for (size_t i = 0; i < advice->left_count; i++)
		ifr_buffer_printf(&comments, "\nleft out: %s: %s", advice->left[i].load, advice->left[i].why);
	ifr_buffer_puts(out, "# ");
	for (const char *c = ifr_buffer_text(&comments); *c; c++)
		if (*c == '\n')
			ifr_buffer_puts(out, "\n# ");
		else
			ifr_buffer_append(out, (unsigned char)*c < ' ' ? "?" : c, 1);
	ifr_buffer_puts(out, "\n");
	for (size_t i = 0; i < advice->prefetches.count; i++)
		ifr_prefetch_print(&advice->prefetches.items[i], out);
	ifr_buffer_release(&comments);
}
