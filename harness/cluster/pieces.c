/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cluster/pieces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "kit/kit.h"

/* The first line of "campaign", by the kind of work. */
static const char *const versions[] = {"interfero-pieces 1", "interfero-replays 1"};

char *piece_path(const char *folder, unsigned number, const char *ending) {
	return ifr_format("%s/%u.%s", folder, number, ending);
}

int pieces_read(const char *folder, char **digest, unsigned *chunks, bool *replays, struct ifr_error *err) {
	char *path = ifr_format("%s/campaign", folder);
	struct ifr_buffer text = {0};
	struct ifr_strings lines = {0};
	int result = ifr_file_read_named(path, 4096, &text, err);
	if (!result) {
		ifr_strings_split(&lines, ifr_buffer_text(&text), "\n");
		*replays = lines.count && !strcmp(lines.items[0], versions[1]);
		const bool sound = lines.count == 3 && !strcmp(lines.items[0], versions[*replays]) &&
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

static int fill_folder(const struct pieces_request *request, const char *folder, struct ifr_error *err) {
	char digest[IFR_SHA256_HEX], *packed = ifr_format("%s/bundle", folder), *text = NULL, *bundle = NULL;
	int result = ifr_tree_remove(folder, err);
	if (!result)
		result = ifr_dir_make(folder, err);
	if (!result)
		result = request->pack(request->data, packed, err);
	if (!result)
		result = ifr_sha256_file(packed, digest, NULL, err);
	if (!result) {
		bundle = ifr_format("%s/%s.bundle", folder, digest);
		text = ifr_format("%s\n%s\n%u\n", versions[request->replays], digest, request->chunks);
		if (rename(packed, bundle))
			result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot rename %s", packed);
	}
	if (!result)
		result = write_text(folder, "piece.sh", script, err);
	if (!result)
		result = write_text(folder, "campaign", text, err);
	/* The last file: a folder with it is whole. */
	if (!result)
		result = write_text(folder, "cut", request->cut, err);
	free(bundle);
	free(text);
	free(packed);
	return result;
}

char *pieces_folder(const char *name) {
	char *cwd = getcwd(NULL, 0), *relative = ifr_format("%s.pieces", name),
		 *folder = ifr_path_normalise(cwd ? cwd : "/", relative);
	free(relative);
	free(cwd);
	return folder;
}

int pieces_make(const struct pieces_request *request, struct pieces *pieces, struct ifr_error *err) {
	*pieces = (struct pieces){
		.folder = pieces_folder(request->name), .count = request->count, .chunks = request->chunks};
	char *mark = ifr_format("%s/cut", pieces->folder);
	const int result = has_text(mark, request->cut) ? 0 : fill_folder(request, pieces->folder, err);
	free(mark);
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
	       : there_is(pieces, number, "result") ? PIECE_MEASURED
	       : there_is(pieces, number, "failed") ? PIECE_FAILED
	                                            : PIECE_OPEN;
}

int piece_end(const struct pieces *pieces, unsigned number, struct ifr_error *err) {
	char *file = piece_path(pieces->folder, number, "result"), *done = piece_path(pieces->folder, number, "done");
	const int result = rename(file, done) ? ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot rename %s", file) : 0;
	free(done);
	free(file);
	return result;
}

int piece_skip(const struct pieces *pieces, unsigned number, struct ifr_error *err) {
	char *done = piece_path(pieces->folder, number, "done");
	const int result = ifr_file_write(done, "", 0, 0644, err);
	free(done);
	return result;
}
