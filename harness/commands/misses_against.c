/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/misses_against.h"

#include <inttypes.h>
#include <stdlib.h>

#include "harness/output/output.h"

/* Loads whose misses differ by a hundredth of their own at least. */
static void put_loads(const struct misses_result *result, struct ifr_buffer *out) {
	const struct ifr_load_misses *profile = &result->profile;
	ifr_buffer_printf(out, "\n%12s %12s  load\n", "misses", "there");
	for (size_t i = 0; i < profile->named; i++) {
		const uint64_t here = profile->summary.loads[profile->order[i]].misses[result->level];
		const uint64_t there = profile->against[profile->order[i]];
		if (100 * (here > there ? here - there : there - here) < here)
			continue;
		char *first = ifr_format("%12" PRIu64 " %12" PRIu64 "  ", here, there);
		ifr_text_wrap(out, profile->names[i].code, first, "                           ");
		free(first);
	}
}

void misses_say_conflict(const struct misses_result *result, const struct ifr_named_conflict *conflict,
                         struct ifr_buffer *text) {
	ifr_buffer_printf(text,
	                  "%" PRIu64 " misses rather than %" PRIu64
	                  " in %zu set%s of the %s, as set %u, where %zu lines meet: ",
	                  conflict->misses[1], conflict->misses[0], conflict->sets, conflict->sets == 1 ? "" : "s",
	                  result->profile.conflicts.structure, conflict->set, conflict->lines);
	for (size_t i = 0; i < conflict->names.count; i++)
		ifr_buffer_printf(text, "%s%s", i ? ", " : "", conflict->names.items[i]);
}

void misses_say_against(const struct misses_result *result, struct ifr_buffer *text) {
	ifr_buffer_printf(text,
	                  "In the layout of %s loads miss %" PRIu64 " times rather than %" PRIu64
	                  ". Misses that go away there need no prefetch.",
	                  result->against, result->profile.against_misses, result->profile.misses);
}

void misses_put_against(const struct misses_result *result, struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	misses_say_against(result, &text);
	ifr_buffer_puts(out, "\n");
	ifr_text_wrap(out, ifr_buffer_text(&text), "", "");
	put_loads(result, out);
	if (result->profile.conflicts.count)
		ifr_buffer_puts(out, "\nSets that miss less there, without the first miss of each line:\n");
	for (size_t i = 0; i < result->profile.conflicts.count; i++) {
		ifr_buffer_release(&text);
		misses_say_conflict(result, &result->profile.conflicts.items[i], &text);
		ifr_text_wrap(out, ifr_buffer_text(&text), "  - ", "    ");
	}
	ifr_buffer_release(&text);
}

json_t *misses_json_against(const struct misses_result *result) {
	if (!result->against)
		return json_null();
	json_t *object = json_object(), *conflicts = json_array();
	for (size_t i = 0; i < result->profile.conflicts.count; i++) {
		const struct ifr_named_conflict *conflict = &result->profile.conflicts.items[i];
		json_t *item = json_object(), *names = json_array();
		for (size_t k = 0; k < conflict->names.count; k++)
			json_array_append_new(names, ifr_json_text(conflict->names.items[k]));
		ifr_json_set(item, "names", names);
		ifr_json_set(item, "set", ifr_json_count(conflict->set));
		ifr_json_set(item, "sets", ifr_json_count(conflict->sets));
		ifr_json_set(item, "lines", ifr_json_count(conflict->lines));
		ifr_json_set(item, "misses", ifr_json_count(conflict->misses[1]));
		ifr_json_set(item, "misses_against", ifr_json_count(conflict->misses[0]));
		json_array_append_new(conflicts, item);
	}
	ifr_json_set(object, "plan", ifr_json_text(result->against));
	ifr_json_set(object, "misses", ifr_json_count(result->profile.against_misses));
	ifr_json_set(object, "conflicts", conflicts);
	return object;
}
