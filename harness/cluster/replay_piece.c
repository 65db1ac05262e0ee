/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A piece of a replay on its node. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/bundle/bundle.h"
#include "harness/cluster/cluster.h"
#include "harness/cluster/replays.h"

struct replaying {
	struct ifr_plan_replay replay;
	struct ifr_machine **machines;
	struct ifr_plan *plans; /* [count] of the piece */
	size_t count, machine_count;
	struct ifr_kit kit;
};

static int refuse_request(const struct ifr_piece *piece, struct ifr_error *err) {
	return ifr_fail(err, IFR_E_ENVIRONMENT, "%s does not hold the request of a replay", piece->bundle);
}

static int open_machine(const struct ifr_piece *piece, const char *line, struct ifr_machine **machine,
                        struct ifr_error *err) {
	char *spec = ifr_starts_with(line, "replay/") ? ifr_format("%s/%s", piece->scratch, line) : ifr_strdup(line);
	const int result = ifr_machine_open(machine, spec, err);
	free(spec);
	return result;
}

/* The line at *text, which moves behind it; NULL: there is none. */
static char *take_line(char **text) {
	char *line = *text, *end = strchr(line, '\n');
	if (!end)
		return NULL;
	*end = '\0';
	*text = end + 1;
	return line;
}

static int read_plans(const struct ifr_piece *piece, struct replaying *r, char *at, const char *end, size_t first,
                      size_t count, struct ifr_error *err) {
	int result = 0;
	for (size_t i = 0; i < first + count && !result; i++) {
		size_t length = 0;
		char name[IFR_NAME_MAX] = "", *line = take_line(&at);
		if (!line || sscanf(line, "%zu %63s", &length, name) != 2 || length > (size_t)(end - at))
			return refuse_request(piece, err);
		if (i >= first) {
			struct ifr_plan *plan = &r->plans[r->count++];
			ifr_plan_init(plan);
			result = length ? ifr_plan_parse(at, length, name, plan, err) : 0;
			if (!result)
				snprintf(plan->name, sizeof plan->name, "%s", strcmp(name, "-") ? name : "");
		}
		at += length;
	}
	return result;
}

static int load_kit(const struct ifr_piece *piece, struct replaying *r, const char *key, struct ifr_error *err) {
	char *file = ifr_format("%s/kits/%s", piece->scratch, key), imported[IFR_KEY_MAX];
	int result = ifr_kit_import(file, imported, err);
	if (!result)
		result = ifr_kit_load(imported, &r->kit, err);
	if (!result)
		result = ifr_kit_check(&r->kit, err);
	r->replay.kit = &r->kit;
	free(file);
	return result;
}

static int read_request(const struct ifr_piece *piece, struct replaying *r, struct ifr_buffer *text,
                        struct ifr_error *err) {
	int engine, core, errors;
	size_t machines, plans;
	char key[IFR_KEY_MAX] = "";
	ifr_buffer_text(text);
	char *at = text->data, *end = text->data + text->length;
	const char *header = take_line(&at), *numbers = header ? take_line(&at) : NULL;
	if (!numbers || strcmp(header, replay_version) ||
	    sscanf(numbers, "%d %d %d %zu %zu %135s", &engine, &core, &errors, &machines, &plans, key) != 6 ||
	    !machines || machines > text->length || plans > text->length || piece->number >= piece->chunks)
		return refuse_request(piece, err);
	const size_t first = replay_first(plans, piece->number, piece->chunks),
				 count = replay_first(plans, piece->number + 1, piece->chunks) - first;
	r->machines = ifr_alloc(machines * sizeof *r->machines);
	r->plans = ifr_alloc((count + 1) * sizeof *r->plans);
	r->replay.engine = (enum ifr_engine)engine;
	r->replay.core = (enum ifr_core_use)core;
	r->replay.errors = errors ? ifr_alloc((machines * count + 1) * sizeof *r->replay.errors) : NULL;
	int result = strcmp(key, "-") ? load_kit(piece, r, key, err) : 0;
	for (size_t i = 0; i < machines && !result; i++) {
		const char *line = take_line(&at);
		result = line ? open_machine(piece, line, &r->machines[i], err) : refuse_request(piece, err);
		r->machine_count += !result;
	}
	return result ? result : read_plans(piece, r, at, end, first, count, err);
}

static void release(struct replaying *r) {
	for (size_t i = 0; i < r->count; i++)
		ifr_plan_release(&r->plans[i]);
	for (size_t i = 0; i < r->machine_count; i++)
		ifr_machine_free(r->machines[i]);
	ifr_trace_free(r->replay.trace);
	ifr_kit_release(&r->kit);
	free(r->replay.errors);
	free(r->machines);
	free(r->plans);
}

static void print_counts(const struct ifr_counts *counts, const struct ifr_count_errors *errors,
                         struct ifr_buffer *out) {
	for (int i = 0; i < IFR_EVENT_COUNT; i++)
		ifr_buffer_printf(out, "%s%" PRIu64, i ? " " : "", counts->value[i]);
	for (int i = 0; i < IFR_EVENT_COUNT && errors; i++)
		ifr_buffer_printf(out, " %a", errors->value[i]);
	ifr_buffer_puts(out, "\n");
}

static int write_counts(const struct replaying *r, const struct ifr_counts *counts, const char *file,
                        struct ifr_error *err) {
	struct ifr_buffer out = {0};
	ifr_buffer_printf(&out, REPLAY_RESULT "\n", IFR_EVENT_COUNT);
	for (size_t i = 0; i < r->machine_count * r->count; i++)
		print_counts(&counts[i], r->replay.errors ? &r->replay.errors[i] : NULL, &out);
	const int result = ifr_file_write(file, out.data, out.length, 0644, err);
	ifr_buffer_release(&out);
	return result;
}

int ifr_piece_replay(const struct ifr_piece *piece, const char *file, struct ifr_error *err) {
	struct replaying r = {0};
	struct ifr_buffer text = {0};
	char *request = ifr_format("%s/replay/request", piece->scratch),
		 *trace = ifr_format("%s/replay/trace", piece->scratch);
	ifr_kit_init(&r.kit);
	int result = ifr_bundle_unpack(piece->bundle, piece->scratch, err);
	if (!result)
		result = ifr_file_read_named(request, SIZE_MAX / 2, &text, err);
	if (!result)
		result = read_request(piece, &r, &text, err);
	if (!result)
		result = ifr_trace_open(trace, &r.replay.trace, err);
	struct ifr_counts *counts = ifr_alloc((r.machine_count * r.count + 1) * sizeof *counts);
	r.replay.machines = (const struct ifr_machine *const *)r.machines;
	r.replay.machine_count = r.machine_count;
	if (!result)
		result = ifr_replay_plans(&r.replay, r.plans, r.count, counts, err);
	if (!result)
		result = write_counts(&r, counts, file, err);
	release(&r);
	free(counts);
	ifr_buffer_release(&text);
	free(trace);
	free(request);
	return result;
}
