/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replays in pieces: each is a chunk of the layouts, on all machines of the replay. Counts are whole numbers, and errors
 * are written with all their bits, so that the result has the same bytes wherever and in however many pieces it was
 * made. The bundle holds the recording, the kit and the request:
 *
 *     interfero-replay 1
 *     ENGINE CORE ERRORS MACHINES PLANS KIT  numbers, and a key or "-"
 *     SPEC                                   a line for each machine; files of descriptions are replay/machine-N.cfg
 *     BYTES NAME                             of each plan, and then its text */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/bundle/bundle.h"
#include "harness/cluster/collection.h"
#include "harness/cluster/replays.h"

const char replay_version[] = "interfero-replay 1";
enum { USUAL_CHUNK = IFR_REPLAY_LANES, NAME_DIGITS = 16 };
static const int64_t estimate_most_ns = INT64_C(10000000000);
struct packing {
	const struct ifr_plan_replay *replay;
	struct ifr_buffer request;
	struct ifr_strings names, paths; /* of the bundle's files, but the request */
	struct ifr_kit kit;
	bool has_kit;
};

/* ---- the request ---- */

size_t replay_first(size_t count, unsigned chunk, unsigned chunks) {
	return count * chunk / chunks;
}

/* A description that is a file goes along. */
static void add_machine(struct packing *packing, size_t index, const char *spec) {
	const size_t length = strcspn(spec, ",");
	char *file = ifr_format("%.*s", (int)length, spec);
	if (strchr(file, '/') || strstr(file, ".cfg")) {
		ifr_strings_take(&packing->names, ifr_format("replay/machine-%zu.cfg", index));
		ifr_strings_add(&packing->paths, file);
		ifr_buffer_printf(&packing->request, "replay/machine-%zu.cfg%s\n", index, spec + length);
	} else {
		ifr_buffer_printf(&packing->request, "%s\n", spec);
	}
	free(file);
}

static void describe(struct packing *packing, const struct ifr_plan *plans, size_t count) {
	const struct ifr_plan_replay *replay = packing->replay;
	struct ifr_buffer *request = &packing->request, text = {0};
	ifr_buffer_printf(request, "%s\n%d %d %d %zu %zu %s\n", replay_version, (int)replay->engine, (int)replay->core,
	                  replay->errors != NULL, replay->machine_count, count,
	                  packing->has_kit ? packing->kit.key : "-");
	for (size_t i = 0; i < replay->machine_count; i++)
		add_machine(packing, i, replay->machine_specs[i]);
	for (size_t i = 0; i < count; i++) {
		ifr_buffer_clear(&text);
		ifr_plan_print(&plans[i], &text);
		ifr_buffer_printf(request, "%zu %s\n%s", text.length, *plans[i].name ? plans[i].name : "-",
		                  ifr_buffer_text(&text));
	}
	ifr_buffer_release(&text);
}

static int pack(const void *data, const char *file, struct ifr_error *err) {
	const struct packing *packing = data;
	struct ifr_strings names = {0}, paths = {0};
	char *request = ifr_format("%s.request", file);
	ifr_strings_add(&names, "replay/request");
	ifr_strings_add(&paths, request);
	ifr_strings_add_all(&names, &packing->names);
	ifr_strings_add_all(&paths, &packing->paths);
	int result = ifr_file_write(request, packing->request.data, packing->request.length, 0644, err);
	if (!result)
		result = ifr_bundle_pack_replay(&names, &paths, packing->has_kit ? &packing->kit : NULL, file, err);
	unlink(request);
	free(request);
	ifr_strings_release(&paths);
	ifr_strings_release(&names);
	return result;
}

/* ---- results ---- */

static bool read_counts(char **text, struct ifr_counts *counts, struct ifr_count_errors *errors) {
	char *end = *text;
	for (int i = 0; i < IFR_EVENT_COUNT; i++, *text = end)
		if (counts->value[i] = strtoull(*text, &end, 10), end == *text)
			return false;
	for (int i = 0; i < IFR_EVENT_COUNT && errors; i++, *text = end)
		if (errors->value[i] = strtod(*text, &end), end == *text)
			return false;
	return *end == '\n';
}

/* Reads a piece: the counts of its layouts, machine by machine. */
static int read_result(const struct pieces *pieces, unsigned number, const struct ifr_plan_replay *replay,
                       size_t count, struct ifr_counts *counters, struct ifr_error *err) {
	const size_t first = replay_first(count, number, pieces->chunks),
				 end = replay_first(count, number + 1, pieces->chunks);
	char *path = piece_path(pieces->folder, number, "done");
	struct ifr_buffer text = {0};
	int events = 0, used = 0, result = ifr_file_read(path, SIZE_MAX / 2, &text, err);
	ifr_buffer_text(&text);
	char *at = text.data;
	bool sound = !result && sscanf(at, REPLAY_RESULT "%n", &events, &used) == 1 && events == IFR_EVENT_COUNT;
	at += sound ? used : 0;
	for (size_t m = 0; m < replay->machine_count && sound; m++)
		for (size_t i = first; i < end && sound; i++)
			sound =
				read_counts(&at, &counters[m * count + i], replay->errors ? &replay->errors[m * count + i] : NULL);
	if (!result && !sound)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s does not hold the counts of a piece: remove it", path);
	ifr_buffer_release(&text);
	free(path);
	return result;
}

/* ---- the submitting process ---- */

struct watching {
	const struct ifr_plan_replay *replay;
	int64_t begun_ns;
};

static void show(void *data, unsigned done, unsigned count, int64_t left_ns) {
	const struct watching *watching = data;
	(void)left_ns;
	if (watching->replay->progress)
		watching->replay->progress((double)done / count, ifr_clock_ns() - watching->begun_ns);
}

static int take_results(struct gathering *gathering, struct ifr_plan_replay *replay, size_t count,
                        struct ifr_counts *counters, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < gathering->pieces.count && !result; i++)
		result = read_result(&gathering->pieces, i, replay, count, counters, err);
	return result;
}

static int make_pieces(struct gathering *gathering, struct packing *packing, size_t count, struct ifr_error *err) {
	const struct ifr_cluster *cluster = gathering->cluster;
	const unsigned usual = (unsigned)((count + USUAL_CHUNK - 1) / USUAL_CHUNK),
				   wanted = cluster->chunks ? cluster->chunks : usual,
				   chunks = wanted > count ? (unsigned)count : wanted;
	char trace[IFR_SHA256_HEX], digest[IFR_SHA256_HEX];
	int result = ifr_sha256_file(packing->replay->trace_file, trace, NULL, err);
	if (result)
		return result;
	ifr_sha256(packing->request.data, packing->request.length, digest);
	char *cut = ifr_format("%s %s %u\n", trace, digest, chunks), both[IFR_SHA256_HEX];
	ifr_sha256(cut, strlen(cut), both);
	char *name = ifr_format("%s.%.*s", packing->replay->trace_file, NAME_DIGITS, both);
	const struct pieces_request request = {.name = name,
	                                       .count = chunks,
	                                       .chunks = chunks,
	                                       .replays = true,
	                                       .cut = cut,
	                                       .pack = pack,
	                                       .data = packing};
	gathering->name = ifr_format("interfero-%.*s", NAME_DIGITS, both);
	if (cluster->dry_run)
		gathering->pieces = (struct pieces){pieces_folder(name), chunks, chunks};
	else
		result = pieces_make(&request, &gathering->pieces, err);
	gathering_begin(gathering);
	free(name);
	free(cut);
	return result;
}

static int carry_out(struct gathering *gathering, struct ifr_plan_replay *replay, size_t count,
                     struct ifr_counts *counters, struct ifr_error *err) {
	int result = gathering_run(gathering, err);
	if (!result && !gathering_is_whole(gathering))
		result =
			ifr_fail(err, IFR_E_USAGE, "interrupted: the same command goes on with the jobs that are under way");
	if (!result)
		result = take_results(gathering, replay, count, counters, err);
	if (!result)
		ifr_tree_remove(gathering->pieces.folder, NULL);
	return result;
}

/* ---- a dry run ---- */

/* Restricts this process to the first of its processors; *before is what it had. */
static bool use_one_processor(cpu_set_t *before) {
	cpu_set_t one;
	if (sched_getaffinity(0, sizeof *before, before))
		return false;
	int first = 0;
	while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, before))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	return !sched_setaffinity(0, sizeof one, &one);
}

static int64_t processor_ns(void) {
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The core hours of all layouts: those of a piece are replayed here, or as much of it as tells the time of all. What
 * others take of this processor does not count. */
static int estimate_hours(const struct ifr_plan_replay *replay, const struct ifr_plan *plans, size_t count,
                          size_t sampled, double *hours, struct ifr_error *err) {
	struct ifr_counts *counters = ifr_alloc((replay->machine_count * sampled + 1) * sizeof *counters);
	struct ifr_plan_replay here = *replay;
	cpu_set_t before;
	const bool alone = use_one_processor(&before);
	const int64_t begun_ns = ifr_clock_ns(), before_ns = processor_ns();
	here.spread = NULL;
	here.progress = NULL;
	here.errors = NULL;
	here.deadline_ns = begun_ns + estimate_most_ns;
	int result = ifr_replay_plans(&here, plans, sampled, counters, err);
	const double spent_ns = (double)(ifr_clock_ns() - begun_ns),
				 whole_ns = here.expected_ns ? (double)here.expected_ns : spent_ns;
	if (alone)
		sched_setaffinity(0, sizeof before, &before);
	/* One that cannot end in time has told what was asked. */
	if (here.expected_ns) {
		if (err)
			*err = (struct ifr_error){0};
		result = 0;
	}
	*hours = whole_ns * (double)(processor_ns() - before_ns) / spent_ns * (double)count / (double)sampled / 3.6e12;
	free(counters);
	return result;
}

static int describe_pieces(const struct gathering *gathering, const struct ifr_plan_replay *replay,
                           const struct ifr_plan *plans, size_t count, struct ifr_error *err) {
	struct ifr_buffer *text = replay->cluster->dry_run;
	double hours = 0;
	const int result =
		estimate_hours(replay, plans, count, replay_first(count, 1, gathering->pieces.chunks), &hours, err);
	if (result)
		return result;
	ifr_buffer_printf(
		text,
		"%s%u pieces: %zu layouts on %zu machine%s of the model, on any nodes.\nAbout %.3g core hours, "
		"by the layouts of a piece on one processor here.\n\n",
		text->length ? "\n" : "", gathering->pieces.count, count, replay->machine_count,
		replay->machine_count > 1 ? "s" : "", hours);
	gathering_describe(gathering, text);
	return 0;
}

int ifr_cluster_replay(struct ifr_plan_replay *replay, const struct ifr_plan *plans, size_t count,
                       struct ifr_counts *counters, struct ifr_error *err) {
	struct watching watching = {replay, ifr_clock_ns()};
	struct gathering gathering = {.cluster = replay->cluster, .show = show, .data = &watching};
	struct packing packing = {.replay = replay, .has_kit = ifr_layouts_need_kit(plans, count)};
	ifr_kit_init(&packing.kit);
	ifr_strings_add(&packing.names, "replay/trace");
	ifr_strings_add(&packing.paths, replay->trace_file);
	int result = packing.has_kit ? ifr_recorded_kit_load(replay->trace, &packing.kit, err) : 0;
	if (!result) {
		describe(&packing, plans, count);
		result = make_pieces(&gathering, &packing, count, err);
	}
	if (!result)
		result = replay->cluster->dry_run ? describe_pieces(&gathering, replay, plans, count, err)
		                                  : carry_out(&gathering, replay, count, counters, err);
	gathering_release(&gathering);
	ifr_buffer_release(&packing.request);
	ifr_strings_release(&packing.names);
	ifr_strings_release(&packing.paths);
	ifr_kit_release(&packing.kit);
	return result;
}
