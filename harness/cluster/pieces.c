/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cluster/pieces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/bundle/bundle.h"
#include "harness/store/store.h"
#include "kit/kit.h"

static const char version[] = "interfero-pieces 1";

char *piece_path(const char *folder, unsigned number, const char *ending) {
	return ifr_format("%s/%u.%s", folder, number, ending);
}

int pieces_read(const char *folder, char **digest, unsigned *chunks, struct ifr_error *err) {
	char *path = ifr_format("%s/campaign", folder);
	struct ifr_buffer text = {0};
	struct ifr_strings lines = {0};
	int result = ifr_file_read_named(path, 4096, &text, err);
	if (!result) {
		ifr_strings_split(&lines, ifr_buffer_text(&text), "\n");
		const bool sound = lines.count == 3 && !strcmp(lines.items[0], version) &&
		                   strlen(lines.items[1]) == IFR_SHA256_HEX - 1 &&
		                   strspn(lines.items[1], "0123456789abcdef") == IFR_SHA256_HEX - 1 &&
		                   sscanf(lines.items[2], "%u", chunks) == 1 && *chunks;
		if (sound)
			*digest = ifr_strdup(lines.items[1]);
		else
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s does not describe pieces of a campaign", path);
	}
	ifr_strings_release(&lines);
	ifr_buffer_release(&text);
	free(path);
	return result;
}

/* A folder of the same cut names the same plan: a line behind the version of what decides numbers. */
static char *describe_cut(const char *experiment, unsigned repetitions, unsigned chunks) {
	struct ifr_dataset dataset;
	char *cut = NULL;
	if (!ifr_experiment_load(experiment, &dataset, NULL)) {
		cut = ifr_format("%s %s %u %u\n", ifr_dataset_fact(&dataset, "identity"),
		                 ifr_dataset_fact(&dataset, "variants planned"), repetitions, chunks);
		ifr_dataset_release(&dataset);
	}
	return cut;
}

static bool has_text(const char *path, const char *wanted) {
	struct ifr_buffer text = {0};
	const bool same = wanted && !ifr_file_read(path, 4096, &text, NULL) && !strcmp(ifr_buffer_text(&text), wanted);
	ifr_buffer_release(&text);
	return same;
}

static int write_text(const char *folder, const char *name, const char *text, struct ifr_error *err) {
	char *path = ifr_format("%s/%s", folder, name);
	int result = ifr_file_write(path, text, strlen(text), 0644, err);
	free(path);
	return result;
}

static const char script[] = "#!/bin/sh\n"
							 "# interfero, the folder of pieces, the first number: data, never text of a shell.\n"
							 "exec \"$1\" piece \"$2\" $(($3 + SLURM_ARRAY_TASK_ID))\n";

static int fill_folder(const char *experiment, const char *folder, unsigned chunks, const char *cut,
                       struct ifr_error *err) {
	struct ifr_strings left_out = {0};
	char digest[IFR_SHA256_HEX], *packed = ifr_format("%s/bundle", folder), *text = NULL, *bundle = NULL;
	int result = ifr_tree_remove(folder, err);
	if (!result)
		result = ifr_dir_make(folder, err);
	if (!result)
		result = ifr_bundle_pack(experiment, packed, &left_out, err);
	if (!result)
		result = ifr_sha256_file(packed, digest, NULL, err);
	if (!result) {
		bundle = ifr_format("%s/%s.bundle", folder, digest);
		text = ifr_format("%s\n%s\n%u\n", version, digest, chunks);
		if (rename(packed, bundle))
			result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot rename %s", packed);
	}
	if (!result)
		result = write_text(folder, "piece.sh", script, err);
	if (!result)
		result = write_text(folder, "campaign", text, err);
	/* The last file: a folder with it is whole. */
	if (!result)
		result = write_text(folder, "cut", cut, err);
	ifr_strings_release(&left_out);
	free(bundle);
	free(text);
	free(packed);
	return result;
}

int pieces_make(const char *experiment, unsigned repetitions, unsigned chunks, struct pieces *pieces,
                struct ifr_error *err) {
	char *cwd = getcwd(NULL, 0), *name = ifr_format("%s.pieces", experiment),
		 *cut = describe_cut(experiment, repetitions, chunks);
	*pieces = (struct pieces){
		.folder = ifr_path_normalise(cwd ? cwd : "/", name), .count = repetitions * chunks, .chunks = chunks};
	char *mark = ifr_format("%s/cut", pieces->folder);
	int result = 0;
	if (!cut)
		result = ifr_fail(err, IFR_E_BUG, "%s has no identity", experiment);
	else if (!has_text(mark, cut))
		result = fill_folder(experiment, pieces->folder, chunks, cut, err);
	free(mark);
	free(cut);
	free(name);
	free(cwd);
	return result;
}

void pieces_release(struct pieces *pieces) {
	free(pieces->folder);
	pieces->folder = NULL;
}

static bool there_is(const struct pieces *pieces, unsigned number, const char *ending) {
	char *path = piece_path(pieces->folder, number, ending);
	const bool there = ifr_file_exists(path);
	free(path);
	return there;
}

enum piece_state piece_find(const struct pieces *pieces, unsigned number) {
	return there_is(pieces, number, "done")     ? PIECE_DONE
	       : there_is(pieces, number, "exp")    ? PIECE_MEASURED
	       : there_is(pieces, number, "failed") ? PIECE_FAILED
	                                            : PIECE_OPEN;
}

int pieces_gather(const struct pieces *pieces, const bool *measured, const char *experiment,
                  struct ifr_error *err) {
	struct ifr_merge_result merged;
	struct ifr_strings files = {0};
	for (unsigned i = 0; i < pieces->count; i++)
		if (measured[i])
			ifr_strings_take(&files, piece_path(pieces->folder, i, "exp"));
	int result = files.count ? ifr_experiment_merge_pieces(experiment, files.items, files.count, &merged, err) : 0;
	/* A kill between these two merges pieces again, which adds nothing. */
	for (unsigned i = 0; i < pieces->count && !result; i++) {
		char *file = piece_path(pieces->folder, i, "exp"), *done = piece_path(pieces->folder, i, "done");
		if (measured[i] && rename(file, done))
			result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot rename %s", file);
		free(done);
		free(file);
	}
	ifr_strings_release(&files);
	return result;
}
