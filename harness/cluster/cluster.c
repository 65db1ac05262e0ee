/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The submitting process: it submits pieces without a result that are not under way, gathers results, and looks again.
 * Every look starts from the files and from Slurm's list; nothing is remembered that a restart would miss. */
#include "harness/cluster/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/cluster/pieces.h"
#include "harness/cluster/slurm.h"
#include "harness/output/output.h"
#include "harness/store/store.h"

enum { ATTEMPTS = 3, PIECE_NS_PER_LAYOUT_OVERHEAD = 20000000 };
static const int64_t piece_most_ns = INT64_C(600000000000);

struct gathering {
	const struct ifr_cluster *cluster;
	const struct ifr_campaign *campaign;
	struct pieces pieces;
	char *name;                             /* of the jobs */
	bool *alive, *wanted, *measured, *over; /* over: done in an earlier look */
	unsigned *attempts;                     /* of this process */
	unsigned done, done_before;
	int64_t begun_ns;
	bool silent; /* Slurm does not answer */
};

/* ---- options ---- */

static char **find_option(struct ifr_cluster *cluster, const char *key) {
	if (!strcmp(key, "partition"))
		return &cluster->partition;
	if (!strcmp(key, "account"))
		return &cluster->account;
	if (!strcmp(key, "time"))
		return &cluster->time_limit;
	if (!strcmp(key, "constraint") && cluster->kinds < IFR_CLUSTER_KINDS)
		return &cluster->constraints[cluster->kinds++];
	return NULL;
}

static int set_option(struct ifr_cluster *cluster, char *word, struct ifr_error *err) {
	char *value = strchr(word, '='), *end;
	unsigned long number = 0;
	if (!value || !value[1])
		return ifr_fail(err, IFR_E_USAGE, "--on slurm: \"%.40s\" is no KEY=VALUE", word);
	*value++ = '\0';
	if (!strcmp(word, "pieces") || !strcmp(word, "cores")) {
		number = strtoul(value, &end, 10);
		if (*end || !number || number > 100000)
			return ifr_fail(err, IFR_E_USAGE, "--on slurm: %s is a number from 1 to 100000, not \"%.40s\"", word,
			                value);
		*(*word == 'p' ? &cluster->chunks : &cluster->cores) = (unsigned)number;
		return 0;
	}
	char **option = find_option(cluster, word);
	if (!option)
		return ifr_fail(err, IFR_E_USAGE,
		                "--on slurm knows partition, constraint, account, time, cores and pieces, not \"%.40s\"",
		                word);
	free(*option);
	*option = ifr_strdup(value);
	return 0;
}

int ifr_cluster_parse(const char *text, struct ifr_cluster *cluster, struct ifr_error *err) {
	struct ifr_strings words = {0};
	*cluster = (struct ifr_cluster){.cores = 1};
	if (strcmp(text, "slurm") != 0 && !ifr_starts_with(text, "slurm:"))
		return ifr_fail(err, IFR_E_USAGE, "--on knows slurm, not \"%.40s\"", text);
	ifr_strings_split(&words, text[5] ? text + 6 : "", ",");
	int result = 0;
	for (size_t i = 0; i < words.count && !result; i++)
		result = set_option(cluster, words.items[i], err);
	cluster->kinds = cluster->kinds ? cluster->kinds : 1;
	ifr_strings_release(&words);
	return result;
}

void ifr_cluster_release(struct ifr_cluster *cluster) {
	for (unsigned i = 0; i < IFR_CLUSTER_KINDS; i++)
		free(cluster->constraints[i]);
	free(cluster->partition);
	free(cluster->account);
	free(cluster->time_limit);
	*cluster = (struct ifr_cluster){0};
}

/* ---- the cut ---- */

static int64_t load_number(const char *experiment, const char *name) {
	struct ifr_dataset dataset;
	int64_t number = 0;
	if (!ifr_experiment_load(experiment, &dataset, NULL)) {
		const char *value = ifr_dataset_fact(&dataset, name);
		number = value ? strtoll(value, NULL, 10) : 0;
		ifr_dataset_release(&dataset);
	}
	return number;
}

/* The time that one repetition of all layouts takes on one core, by the reference run here. */
static int64_t estimate_repetition(const struct ifr_campaign *campaign, const char *experiment) {
	const int64_t run_ns = load_number(experiment, "reference time_ns");
	return (int64_t)(campaign->variants + 1) * campaign->program_count *
	       (run_ns * (1 + campaign->warmups) + PIECE_NS_PER_LAYOUT_OVERHEAD);
}

static unsigned count_chunks(const struct ifr_cluster *cluster, const struct ifr_campaign *campaign,
                             const char *experiment) {
	if (cluster->chunks)
		return cluster->chunks;
	const int64_t chunks = estimate_repetition(campaign, experiment) / piece_most_ns + 1;
	return chunks > campaign->variants ? campaign->variants : (unsigned)chunks;
}

/* Makes the experiment with the reference runs, here, and all that pieces need. */
static int prepare(const struct ifr_cluster *cluster, const struct ifr_campaign *campaign,
                   struct ifr_campaign_result *result, struct ifr_error *err) {
	struct ifr_campaign references = *campaign;
	references.share = (struct ifr_share){.references = true};
	references.repetitions = campaign->repetitions * cluster->kinds;
	return ifr_campaign_run(&references, result, err);
}

/* ---- gathering ---- */

static void show_progress(const struct gathering *gathering) {
	const struct ifr_campaign *campaign = gathering->campaign;
	const unsigned now = gathering->done - gathering->done_before;
	const uint64_t planned = (uint64_t)gathering->cluster->kinds * campaign->repetitions *
	                         (campaign->variants + 1) * campaign->program_count;
	const int64_t spent_ns = ifr_clock_ns() - gathering->begun_ns;
	const int64_t left_ns = now ? spent_ns / now * (gathering->pieces.count - gathering->done) : -1;
	if (campaign->progress)
		campaign->progress((unsigned)(planned * gathering->done / gathering->pieces.count), (unsigned)planned,
		                   left_ns);
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

static int submit_wanted(struct gathering *gathering, struct ifr_error *err) {
	int result = 0;
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
		if (gathering->wanted[i]) {
			char *failed = piece_path(gathering->pieces.folder, i, "failed");
			unlink(failed);
			free(failed);
			gathering->attempts[i]++;
		}
	return result;
}

static void note_silence(struct gathering *gathering, bool silent) {
	const struct ifr_campaign *campaign = gathering->campaign;
	if (silent && !gathering->silent && campaign->say)
		campaign->say("Slurm does not answer; waiting for it");
	gathering->silent = silent;
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
	const int gathered =
		pieces_gather(&gathering->pieces, gathering->measured, gathering->campaign->file, result ? NULL : err);
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

static int gather(struct gathering *gathering, struct ifr_campaign_result *result, struct ifr_error *err) {
	const struct ifr_campaign *campaign = gathering->campaign;
	int failed = 0;
	gathering->begun_ns = ifr_clock_ns();
	for (unsigned i = 0; i < gathering->pieces.count; i++)
		gathering->done_before += piece_find(&gathering->pieces, i) == PIECE_DONE;
	for (;;) {
		failed = look(gathering, err);
		if (failed || gathering->done == gathering->pieces.count || ifr_launch_interrupted())
			break;
		if (campaign->budget_ns && ifr_clock_ns() - gathering->begun_ns > campaign->budget_ns) {
			slurm_cancel(gathering->name);
			break;
		}
		pause_looking(gathering->begun_ns);
	}
	result->interrupted = ifr_launch_interrupted();
	result->runs = gathering->done;
	return failed;
}

static int begin_gathering(struct gathering *gathering, struct ifr_error *err) {
	const struct ifr_campaign *campaign = gathering->campaign;
	const char *file = campaign->file;
	struct ifr_dataset dataset;
	int result = ifr_experiment_load(file, &dataset, err);
	if (result)
		return result;
	gathering->name = ifr_format("interfero-%s", ifr_dataset_fact(&dataset, "identity"));
	ifr_dataset_release(&dataset);
	result = pieces_make(file, campaign->repetitions * gathering->cluster->kinds,
	                     count_chunks(gathering->cluster, campaign, file), &gathering->pieces, err);
	gathering->alive = ifr_alloc(gathering->pieces.count * sizeof *gathering->alive);
	gathering->measured = ifr_alloc(gathering->pieces.count * sizeof *gathering->measured);
	gathering->over = ifr_alloc(gathering->pieces.count * sizeof *gathering->over);
	gathering->wanted = ifr_alloc(gathering->pieces.count * sizeof *gathering->wanted);
	gathering->attempts = ifr_alloc(gathering->pieces.count * sizeof *gathering->attempts);
	return result;
}

static void end_gathering(struct gathering *gathering) {
	pieces_release(&gathering->pieces);
	free(gathering->name);
	free(gathering->alive);
	free(gathering->measured);
	free(gathering->over);
	free(gathering->wanted);
	free(gathering->attempts);
}

/* All runs are there: the campaign has nothing to do but the model's work, and says so. */
static int finish(const struct ifr_cluster *cluster, const struct ifr_campaign *campaign,
                  struct ifr_campaign_result *result, struct ifr_error *err) {
	struct ifr_campaign whole = *campaign;
	struct ifr_experiment *experiment = NULL;
	const unsigned runs = result->runs;
	whole.repetitions *= cluster->kinds;
	int failed = ifr_campaign_run(&whole, result, err);
	result->runs += runs;
	if (failed || !result->complete)
		return failed;
	failed = ifr_experiment_open(campaign->file, &experiment, err);
	if (!failed)
		failed = ifr_experiment_set(experiment, "complete", "yes", err);
	ifr_experiment_close(experiment);
	return failed;
}

int ifr_cluster_run(const struct ifr_cluster *cluster, const struct ifr_campaign *campaign,
                    struct ifr_campaign_result *result, struct ifr_error *err) {
	struct gathering gathering = {.cluster = cluster, .campaign = campaign};
	int failed = prepare(cluster, campaign, result, err);
	if (!failed)
		failed = begin_gathering(&gathering, err);
	if (!failed)
		failed = gather(&gathering, result, err);
	const bool all = !failed && gathering.done == gathering.pieces.count;
	if (all)
		failed = finish(cluster, campaign, result, err);
	if (all && !failed && result->complete && !campaign->keep_variants)
		ifr_tree_remove(gathering.pieces.folder, NULL);
	end_gathering(&gathering);
	return failed;
}

static void describe_submissions(const struct gathering *gathering, struct ifr_buffer *text) {
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

int ifr_cluster_describe(const struct ifr_cluster *cluster, const struct ifr_campaign *campaign,
                         struct ifr_buffer *text, struct ifr_error *err) {
	struct ifr_campaign dry = *campaign;
	struct ifr_campaign_result done;
	struct gathering gathering = {.cluster = cluster, .campaign = &dry};
	char *folder = NULL, *file = NULL;
	int result = ifr_temporary_dir(&folder, err);
	if (!result) {
		dry.file = file = ifr_format("%s/dry.exp", folder);
		result = prepare(cluster, &dry, &done, err);
	}
	if (!result)
		result = begin_gathering(&gathering, err);
	if (!result) {
		char *cwd = getcwd(NULL, 0), *real = ifr_format("%s.pieces", campaign->file);
		pieces_release(&gathering.pieces);
		gathering.pieces.folder = ifr_path_normalise(cwd ? cwd : "/", real);
		free(real);
		free(cwd);
		const double hours =
			(double)estimate_repetition(&dry, file) * dry.repetitions * cluster->kinds * cluster->cores / 3.6e12;
		ifr_buffer_printf(
			text,
			"%u pieces: %u layouts and the shipped one, %u runs of each on each kind of nodes (%u); chunks of a "
			"repetition: %u.\nAbout %.3g core hours, by a run here (%.3g s) and 0.02 s to make a "
			"layout and copy it.\n\n",
			gathering.pieces.count, dry.variants, dry.repetitions, cluster->kinds, gathering.pieces.chunks, hours,
			(double)load_number(file, "reference time_ns") / 1e9);
		describe_submissions(&gathering, text);
	}
	end_gathering(&gathering);
	if (folder)
		ifr_tree_remove(folder, NULL);
	free(file);
	free(folder);
	return result;
}
