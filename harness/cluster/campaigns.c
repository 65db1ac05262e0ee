/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Campaigns in pieces. The reference runs are made here, and the model's work in the end; all else on nodes. */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/bundle/bundle.h"
#include "harness/cluster/collection.h"
#include "harness/store/store.h"

enum { PIECE_NS_PER_LAYOUT_OVERHEAD = 20000000 };
static const int64_t piece_most_ns = INT64_C(600000000000);

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

static unsigned count_chunks(const struct ifr_campaign *campaign, const char *experiment) {
	if (campaign->cluster->chunks)
		return campaign->cluster->chunks;
	const int64_t chunks = estimate_repetition(campaign, experiment) / piece_most_ns + 1;
	return chunks > campaign->variants ? campaign->variants : (unsigned)chunks;
}

/* The campaign as it is carried out here: with the repetitions of all kinds. */
static struct ifr_campaign own_part(const struct ifr_campaign *campaign) {
	struct ifr_campaign own = *campaign;
	own.spread = NULL;
	own.repetitions *= campaign->cluster->kinds;
	/* A second look would compare runs of this machine with those of nodes. */
	own.one_look = true;
	return own;
}

static bool has_given_files(const struct ifr_campaign *campaign) {
	return campaign->programs->files;
}

/* Makes the experiment with the reference runs, here, and all that pieces need. */
static int prepare(const struct ifr_campaign *campaign, struct ifr_campaign_result *result,
                   struct ifr_error *err) {
	struct ifr_campaign references = own_part(campaign);
	references.share = (struct ifr_share){.references = true};
	/* The bundle takes given files from there. */
	references.keep_variants |= has_given_files(campaign);
	return ifr_campaign_run(&references, result, err);
}

/* ---- the pieces ---- */

static int pack(const void *data, const char *file, struct ifr_error *err) {
	const struct ifr_campaign *campaign = data;
	struct ifr_strings left_out = {0};
	const int result = ifr_bundle_pack(campaign->file, file, &left_out, err);
	ifr_strings_release(&left_out);
	return result;
}

/* Pieces all of whose runs are in the experiment, as after -r grew, are not made again. */
static int skip_held(const struct ifr_campaign *campaign, const struct ifr_dataset *dataset,
                     const struct pieces *pieces, struct ifr_error *err) {
	const size_t variants = dataset->variant_count;
	const unsigned repetitions = pieces->count / pieces->chunks;
	size_t *lacks = ifr_alloc((pieces->count + 1) * sizeof *lacks);
	bool *held = ifr_alloc((variants * repetitions + 1) * sizeof *held);
	const char *fact = ifr_dataset_fact(dataset, "seed");
	const uint64_t seed = fact ? strtoull(fact, NULL, 10) : 0;
	int result = 0;
	for (size_t i = 0; i < dataset->run_count; i++)
		if (!dataset->runs[i].twin && !dataset->runs[i].simulated && dataset->runs[i].repetition < repetitions)
			held[dataset->runs[i].variant * repetitions + dataset->runs[i].repetition] = true;
	for (unsigned layout = has_given_files(campaign); layout <= campaign->variants; layout++)
		for (unsigned r = 0; r < repetitions; r++)
			lacks[r * pieces->chunks + ifr_share_chunk(seed, r, layout, pieces->chunks)] +=
				campaign->program_count;
	for (size_t v = 0; v < variants; v++)
		for (unsigned r = 0; r < repetitions; r++)
			if (held[v * repetitions + r] || dataset->variants[v].refused)
				lacks[r * pieces->chunks +
				      ifr_share_chunk(seed, r, dataset->variants[v].layout, pieces->chunks)]--;
	for (unsigned i = 0; i < pieces->count && !result; i++)
		if (!lacks[i] && piece_find(pieces, i) == PIECE_OPEN)
			result = piece_skip(pieces, i, err);
	free(held);
	free(lacks);
	return result;
}

static int make_pieces(struct gathering *gathering, const struct ifr_campaign *campaign, struct ifr_error *err) {
	struct ifr_dataset dataset;
	int result = ifr_experiment_load(campaign->file, &dataset, err);
	if (result)
		return result;
	const char *identity = ifr_dataset_fact(&dataset, "identity");
	const unsigned chunks = count_chunks(campaign, campaign->file),
				   repetitions = campaign->repetitions * campaign->cluster->kinds;
	char *cut = ifr_format("%s %u %u %u\n", identity, campaign->variants, repetitions, chunks);
	const struct pieces_request request = {.name = campaign->file,
	                                       .count = repetitions * chunks,
	                                       .chunks = chunks,
	                                       .cut = cut,
	                                       .pack = pack,
	                                       .data = campaign};
	gathering->name = ifr_format("interfero-%s", identity);
	result = pieces_make(&request, &gathering->pieces, err);
	if (!result && dataset.run_count)
		result = skip_held(campaign, &dataset, &gathering->pieces, err);
	gathering_begin(gathering);
	free(cut);
	ifr_dataset_release(&dataset);
	return result;
}

/* ---- gathering ---- */

struct merging {
	const struct ifr_campaign *campaign;
	const struct pieces *pieces;
};

/* Merges measured pieces into the experiment, all at once: opening it costs more than a piece. */
static int merge(void *data, const bool *measured, struct ifr_error *err) {
	const struct merging *merging = data;
	struct ifr_merge_result merged;
	struct ifr_strings files = {0};
	for (unsigned i = 0; i < merging->pieces->count; i++)
		if (measured[i])
			ifr_strings_take(&files, piece_path(merging->pieces->folder, i, "result"));
	const int result =
		ifr_experiment_merge_pieces(merging->campaign->file, files.items, files.count, &merged, err);
	ifr_strings_release(&files);
	return result;
}

static void show(void *data, unsigned done, unsigned count, int64_t left_ns) {
	const struct ifr_campaign *campaign = ((struct merging *)data)->campaign;
	const uint64_t planned = (uint64_t)campaign->cluster->kinds * campaign->repetitions *
	                         (campaign->variants + 1) * campaign->program_count;
	if (campaign->progress)
		campaign->progress((unsigned)(planned * done / count), (unsigned)planned, left_ns);
}

/* All runs are there: the campaign has nothing to do but the model's work, and says so. */
static int finish(const struct ifr_campaign *campaign, struct ifr_campaign_result *result, struct ifr_error *err) {
	const struct ifr_campaign whole = own_part(campaign);
	struct ifr_experiment *experiment = NULL;
	const unsigned runs = result->runs;
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

static int carry_out(const struct ifr_campaign *campaign, struct ifr_campaign_result *result,
                     struct ifr_error *err) {
	struct gathering gathering = {
		.cluster = campaign->cluster, .budget_ns = campaign->budget_ns, .take = merge, .show = show};
	struct merging merging = {campaign, &gathering.pieces};
	gathering.data = &merging;
	int failed = prepare(campaign, result, err);
	if (!failed)
		failed = make_pieces(&gathering, campaign, err);
	if (!failed)
		failed = gathering_run(&gathering, err);
	result->interrupted = ifr_launch_interrupted();
	result->runs = gathering.done;
	const bool all = !failed && gathering_is_whole(&gathering);
	if (all)
		failed = finish(campaign, result, err);
	if (all && !failed && result->complete && !campaign->keep_variants)
		ifr_tree_remove(gathering.pieces.folder, NULL);
	gathering_release(&gathering);
	return failed;
}

/* ---- a dry run ---- */

static int describe(const struct ifr_campaign *campaign, struct ifr_buffer *text, struct ifr_error *err) {
	const struct ifr_cluster *cluster = campaign->cluster;
	struct ifr_campaign dry = *campaign;
	struct ifr_campaign_result done;
	struct gathering gathering = {.cluster = cluster};
	char *folder = NULL, *file = NULL;
	int result = ifr_temporary_dir(&folder, err);
	if (!result) {
		dry.file = file = ifr_format("%s/dry.exp", folder);
		result = prepare(&dry, &done, err);
	}
	if (!result)
		result = make_pieces(&gathering, &dry, err);
	if (!result) {
		const double hours =
			(double)estimate_repetition(&dry, file) * dry.repetitions * cluster->kinds * cluster->cores / 3.6e12;
		pieces_release(&gathering.pieces);
		gathering.pieces.folder = pieces_folder(campaign->file);
		ifr_buffer_printf(
			text,
			"%s%u pieces: %u layouts and the shipped one, %u runs of each on each kind of nodes (%u); chunks of a "
			"repetition: %u.\nAbout %.3g core hours, by a run here (%.3g s) and 0.02 s to make a "
			"layout and copy it.\n\n",
			text->length ? "\n" : "", gathering.pieces.count, dry.variants, dry.repetitions, cluster->kinds,
			gathering.pieces.chunks, hours, (double)load_number(file, "reference time_ns") / 1e9);
		gathering_describe(&gathering, text);
	}
	gathering_release(&gathering);
	if (folder)
		ifr_tree_remove(folder, NULL);
	free(file);
	free(folder);
	return result;
}

int ifr_cluster_run(const struct ifr_campaign *campaign, struct ifr_campaign_result *result,
                    struct ifr_error *err) {
	*result = (struct ifr_campaign_result){.seed = campaign->generator.seed};
	return campaign->cluster->dry_run ? describe(campaign, campaign->cluster->dry_run, err)
	                                  : carry_out(campaign, result, err);
}
