/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The submitting process: it submits pieces without a result that are not under way, gathers results, and looks again.
 * Every look starts from the files and from Slurm's list; nothing is remembered that a restart would miss. */
#include "harness/cluster/collection.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/cluster/slurm.h"
#include "harness/exec/exec.h"
#include "harness/output/output.h"

enum { ATTEMPTS = 3 };

static void show_progress(const struct gathering *gathering) {
	const unsigned now = gathering->done - gathering->done_before;
	const int64_t spent_ns = ifr_clock_ns() - gathering->begun_ns;
	const int64_t left_ns = now ? spent_ns / now * (gathering->pieces.count - gathering->done) : -1;
	if (gathering->show)
		gathering->show(gathering->data, gathering->done, gathering->pieces.count, left_ns);
}

/* Why a piece failed, for the user; the caller frees it. */
static char *read_failure(const struct gathering *gathering, unsigned number) {
	char *path = piece_path(gathering->pieces.folder, number, "failed");
	struct ifr_buffer text = {0};
	ifr_file_read(path, 4096, &text, NULL);
	char *why = ifr_format("%.*s", (int)strcspn(ifr_buffer_text(&text), "\n"), ifr_buffer_text(&text));
	ifr_buffer_release(&text);
	free(path);
	return why;
}

/* A piece without a result that is not under way is wanted; one that failed, too, up to a number of attempts. */
static int judge_piece(struct gathering *gathering, unsigned number, struct ifr_error *err) {
	const enum piece_state state = piece_find(&gathering->pieces, number);
	gathering->wanted[number] = false;
	gathering->measured[number] = state == PIECE_MEASURED;
	gathering->done += state == PIECE_DONE || state == PIECE_MEASURED;
	gathering->over[number] = state == PIECE_DONE;
	if (state == PIECE_DONE || state == PIECE_MEASURED || gathering->alive[number] || gathering->silent)
		return 0;
	if (gathering->attempts[number] >= ATTEMPTS) {
		char *why = state == PIECE_FAILED ? read_failure(gathering, number) : ifr_strdup("it left no reason");
		int result =
			ifr_fail(err, IFR_E_ENVIRONMENT,
		             "piece %u failed %d times: %s. The same command goes on with the other pieces (logs: %s)",
		             number, ATTEMPTS, why, gathering->pieces.folder);
		free(why);
		return result;
	}
	gathering->wanted[number] = true;
	return 0;
}

/* The new attempt may fail before its submission returns, and say why. */
static void forget_failures(const struct gathering *gathering) {
	for (unsigned i = 0; i < gathering->pieces.count; i++)
		if (gathering->wanted[i]) {
			char *failed = piece_path(gathering->pieces.folder, i, "failed");
			unlink(failed);
			free(failed);
		}
}

static int submit_wanted(struct gathering *gathering, struct ifr_error *err) {
	int result = 0;
	forget_failures(gathering);
	for (unsigned slice = 0; slice * SLURM_SLICE < gathering->pieces.count && !result; slice++)
		for (unsigned kind = 0; kind < gathering->cluster->kinds && !result; kind++) {
			struct ifr_strings argv = {0};
			slurm_describe(gathering->cluster, &gathering->pieces, gathering->name, kind, slice, gathering->wanted,
			               &argv);
			if (argv.count)
				result = slurm_submit(&argv, err);
			ifr_strings_release(&argv);
		}
	for (unsigned i = 0; i < gathering->pieces.count && !result; i++)
		gathering->attempts[i] += gathering->wanted[i];
	return result;
}

static void note_silence(struct gathering *gathering, bool silent) {
	if (silent && !gathering->silent && gathering->cluster->say)
		gathering->cluster->say("Slurm does not answer; waiting for it");
	gathering->silent = silent;
}

/* A kill between taking and noting takes pieces again, which adds nothing. */
static int take_measured(struct gathering *gathering, struct ifr_error *err) {
	bool any = false;
	for (unsigned i = 0; i < gathering->pieces.count; i++)
		any |= gathering->measured[i];
	int result = any && gathering->take ? gathering->take(gathering->data, gathering->measured, err) : 0;
	for (unsigned i = 0; i < gathering->pieces.count && !result; i++)
		if (gathering->measured[i])
			result = piece_end(&gathering->pieces, i, err);
	return result;
}

/* One look. Slurm is asked first: a piece that ends between the two questions has a file by the second. */
static int look(struct gathering *gathering, struct ifr_error *err) {
	int result = 0;
	note_silence(gathering,
	             !slurm_find(gathering->name, gathering->over, gathering->alive, gathering->pieces.count));
	gathering->done = 0;
	memset(gathering->measured, 0, gathering->pieces.count * sizeof *gathering->measured);
	for (unsigned i = 0; i < gathering->pieces.count && !result; i++)
		result = judge_piece(gathering, i, err);
	/* Also where a piece failed for good: others came. */
	const int gathered = take_measured(gathering, result ? NULL : err);
	result = result ? result : gathered;
	if (!result && !gathering->silent) {
		struct ifr_error why = {0};
		result = submit_wanted(gathering, &why);
		/* A controller that went away meanwhile refuses nothing. */
		if (result && !slurm_find(gathering->name, gathering->over, gathering->alive, gathering->pieces.count))
			result = 0;
		if (result)
			ifr_fail(err, why.code, "%s", why.message);
	}
	show_progress(gathering);
	return result;
}

static void pause_looking(int64_t begun_ns) {
	/* Slurm's controller serves many: a look a second at first, then one in five. */
	const bool early = ifr_clock_ns() - begun_ns < INT64_C(60000000000);
	nanosleep(&(struct timespec){.tv_sec = early ? 1 : 5}, NULL);
}

int gathering_run(struct gathering *gathering, struct ifr_error *err) {
	int result = 0;
	gathering->begun_ns = ifr_clock_ns();
	for (unsigned i = 0; i < gathering->pieces.count; i++)
		gathering->done_before += piece_find(&gathering->pieces, i) == PIECE_DONE;
	for (;;) {
		result = look(gathering, err);
		if (result || gathering_is_whole(gathering) || ifr_launch_interrupted())
			break;
		if (gathering->budget_ns && ifr_clock_ns() - gathering->begun_ns > gathering->budget_ns) {
			slurm_cancel(gathering->name);
			break;
		}
		pause_looking(gathering->begun_ns);
	}
	return result;
}

bool gathering_is_whole(const struct gathering *gathering) {
	return gathering->done == gathering->pieces.count;
}

void gathering_begin(struct gathering *gathering) {
	const size_t count = gathering->pieces.count + 1;
	gathering->alive = ifr_alloc(count * sizeof *gathering->alive);
	gathering->measured = ifr_alloc(count * sizeof *gathering->measured);
	gathering->over = ifr_alloc(count * sizeof *gathering->over);
	gathering->wanted = ifr_alloc(count * sizeof *gathering->wanted);
	gathering->attempts = ifr_alloc(count * sizeof *gathering->attempts);
}

void gathering_release(struct gathering *gathering) {
	pieces_release(&gathering->pieces);
	free(gathering->name);
	free(gathering->alive);
	free(gathering->measured);
	free(gathering->over);
	free(gathering->wanted);
	free(gathering->attempts);
}

void gathering_describe(const struct gathering *gathering, struct ifr_buffer *text) {
	for (unsigned i = 0; i < gathering->pieces.count; i++)
		gathering->wanted[i] = true;
	for (unsigned slice = 0; slice * SLURM_SLICE < gathering->pieces.count; slice++)
		for (unsigned kind = 0; kind < gathering->cluster->kinds; kind++) {
			struct ifr_strings argv = {0};
			slurm_describe(gathering->cluster, &gathering->pieces, gathering->name, kind, slice, gathering->wanted,
			               &argv);
			if (argv.count) {
				ifr_quote_command(text, argv.items);
				ifr_buffer_puts(text, "\n");
			}
			ifr_strings_release(&argv);
		}
}
