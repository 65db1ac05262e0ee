/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A piece on its node: the bundle is fetched once for all pieces of a node, and nothing runs but what has its digest. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/cluster/cluster.h"
#include "harness/cluster/pieces.h"
#include "kit/kit.h"

/* A folder that this user alone can write, which stays for the next piece. */
static int make_cache(struct ifr_piece *piece, struct ifr_error *err) {
	const char *wanted = getenv("INTERFERO_CACHE"), *node = getenv("SLURMD_NODENAME");
	struct stat status;
	piece->cache = wanted && *wanted == '/'
	                   ? ifr_strdup(wanted)
	                   : ifr_format("/tmp/interfero-%u-%s", (unsigned)getuid(), node ? node : "here");
	if (mkdir(piece->cache, 0700) && lstat(piece->cache, &status))
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot make %s", piece->cache);
	if (lstat(piece->cache, &status) || !S_ISDIR(status.st_mode) || status.st_uid != getuid() ||
	    status.st_mode & (S_IWGRP | S_IWOTH))
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "%s is not this user's alone: name another folder in INTERFERO_CACHE", piece->cache);
	return 0;
}

static bool has_digest(const char *path, const char *digest) {
	char found[IFR_SHA256_HEX];
	return ifr_file_exists(path) && !ifr_sha256_file(path, found, NULL, NULL) && !strcmp(found, digest);
}

/* Pieces of one node that start together wait for the first. */
static int fetch_bundle(struct ifr_piece *piece, const char *digest, struct ifr_error *err) {
	char *name = ifr_format("%s/%s.bundle", piece->folder, digest), *lock = ifr_format("%s/lock", piece->cache);
	const int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int result = 0;
	piece->bundle = ifr_format("%s/%s.bundle", piece->cache, digest);
	if (fd < 0 || flock(fd, LOCK_EX))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot lock %s", lock);
	if (!result && !has_digest(piece->bundle, digest)) {
		result = ifr_file_copy(name, piece->bundle, 0600, err);
		if (!result && !has_digest(piece->bundle, digest))
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s does not have the digest that it is named by", name);
	}
	if (fd >= 0)
		close(fd);
	free(lock);
	free(name);
	return result;
}

int ifr_piece_open(const char *folder, unsigned number, struct ifr_piece *piece, struct ifr_error *err) {
	char *cwd = getcwd(NULL, 0), *digest = NULL;
	*piece = (struct ifr_piece){.folder = ifr_path_normalise(cwd ? cwd : "/", folder), .number = number};
	free(cwd);
	int result = pieces_read(piece->folder, &digest, &piece->chunks, &piece->replays, err);
	if (!result)
		result = make_cache(piece, err);
	if (!result)
		result = fetch_bundle(piece, digest, err);
	if (!result) {
		piece->scratch = ifr_format("%s/work-%d", piece->cache, (int)getpid());
		result = ifr_tree_remove(piece->scratch, err);
	}
	if (!result)
		result = ifr_dir_make(piece->scratch, err);
	free(digest);
	return result;
}

bool ifr_piece_is_done(const struct ifr_piece *piece) {
	char *done = piece_path(piece->folder, piece->number, "done"),
		 *measured = piece_path(piece->folder, piece->number, "result");
	const bool there = ifr_file_exists(done) || ifr_file_exists(measured);
	free(measured);
	free(done);
	return there;
}

int ifr_piece_publish(const struct ifr_piece *piece, const char *file, struct ifr_error *err) {
	char *measured = piece_path(piece->folder, piece->number, "result");
	/* ifr_file_copy writes beside the name, and renames. */
	const int result = ifr_file_copy(file, measured, 0644, err);
	free(measured);
	return result;
}

void ifr_piece_fail(const struct ifr_piece *piece, const char *message) {
	const char *node = getenv("SLURMD_NODENAME");
	char *failed = piece_path(piece->folder, piece->number, "failed"),
		 *text = ifr_format("%s: %s\n", node ? node : "this node", message);
	ifr_file_write(failed, text, strlen(text), 0644, NULL);
	free(text);
	free(failed);
}

void ifr_piece_release(struct ifr_piece *piece) {
	if (piece->scratch)
		ifr_tree_remove(piece->scratch, NULL);
	free(piece->scratch);
	free(piece->bundle);
	free(piece->cache);
	free(piece->folder);
}
