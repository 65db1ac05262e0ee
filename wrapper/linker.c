/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ld, ld.bfd, ld.gold, ld.lld and ld.mold in our folder of linkers: runs the real linker of that name and then
 * captures the link as a kit. The link is never at risk: whatever goes wrong with the capture, the program is
 * linked as ever, the exit status is the linker's, and one warning says that there is no kit. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/process.h"
#include "wrapper/capture/capture.h"

/* How many of our linkers are above this one; a linker that calls a compiler to link may make it 1. */
#define GUARD "INTERFERO_LINKING"
enum { DEEPEST = 2 };

static int depth(void) {
	const char *text = getenv(GUARD);
	return text ? atoi(text) : 0;
}

/* "ld" is whichever linker the system chose. */
static const char *kind_of(const char *name, const char *real) {
	char path[PATH_MAX];
	if (strcmp(name, "ld"))
		return name;
	const char *base = realpath(real, path) ? ifr_path_base(path) : "";
	return strstr(base, "gold")   ? "ld.gold"
	       : strstr(base, "lld")  ? "ld.lld"
	       : strstr(base, "mold") ? "ld.mold"
	                              : "ld.bfd";
}

static bool worth_capturing(const struct ifr_link *link) {
	const char *capture = getenv("INTERFERO_CAPTURE");
	char cwd[PATH_MAX];
	return depth() == 0 && link->has_inputs && !link->relocatable && !(capture && !strcmp(capture, "0")) &&
	       getcwd(cwd, sizeof cwd) && !ifr_link_is_probe(link->output, cwd);
}

static int run_linker(const char *real, int argc, char **argv, const struct ifr_strings *more, int *status,
                      struct ifr_error *err) {
	struct ifr_strings arguments = {0};
	ifr_strings_add(&arguments, real);
	for (int i = 1; i < argc; i++)
		ifr_strings_add(&arguments, argv[i]);
	ifr_strings_add_all(&arguments, more);
	struct ifr_process process = {.argv = (const char *const *)arguments.items};
	int result = ifr_process_run(&process, status, err);
	ifr_strings_release(&arguments);
	return result;
}

static int link_and_capture(const char *name, const char *real, const struct ifr_link *link, int argc,
                            char **argv) {
	struct ifr_error err = {0};
	struct ifr_strings more = {0};
	const char *kind = kind_of(name, real);
	bool bfd = !strcmp(kind, "ld.bfd");
	char *folder = NULL, *map = NULL, *dependencies = NULL;
	int status = 0;
	int captured = ifr_temporary_dir(&folder, &err);
	if (!captured && bfd) {
		map = link->map ? ifr_strdup(link->map) : ifr_format("%s/map", folder);
		dependencies =
			link->dependency_file ? ifr_strdup(link->dependency_file) : ifr_format("%s/dependencies", folder);
		if (!link->map)
			ifr_strings_take(&more, ifr_format("-Map=%s", map));
		if (!link->dependency_file)
			ifr_strings_take(&more, ifr_format("--dependency-file=%s", dependencies));
	}
	if (!link->has_build_id)
		ifr_strings_add(&more, "--build-id=sha1");
	struct ifr_error start = {0};
	if (run_linker(real, argc, argv, &more, &status, &start)) {
		fprintf(stderr, "interfero: %s\n", start.message);
		status = start.code;
	}
	if (!captured && !status)
		captured = ifr_capture(link, kind, real, dependencies, map, &err);
	if (captured && !status)
		fprintf(stderr, "interfero: warning: there will be no kit of %s: %s\n", link->output, err.message);
	if (folder)
		ifr_tree_remove(folder, NULL);
	free(folder);
	free(map);
	free(dependencies);
	ifr_strings_release(&more);
	return status;
}

/* The linker that is to do the work: never this file. The caller frees. */
static char *find_linker(const char *name) {
	char *self = ifr_path_self();
	const char *const not_this[] = {self, NULL};
	const char *chosen = getenv("INTERFERO_LD");
	char *real =
		self ? ifr_program_find(chosen && *chosen && !strcmp(name, "ld") ? chosen : name, not_this) : NULL;
	free(self);
	return real;
}

/* Becomes the linker, or runs it and keeps the link; returns the exit status. */
static int run(const char *name, char *real, int argc, char **argv) {
	struct ifr_link link;
	ifr_link_read(&link, argc, argv);
	bool capture = worth_capturing(&link);
	char deeper[16];
	snprintf(deeper, sizeof deeper, "%d", depth() + 1);
	setenv(GUARD, deeper, 1);
	int status = IFR_E_ENVIRONMENT;
	if (capture) {
		status = link_and_capture(name, real, &link, argc, argv);
	} else {
		argv[0] = real;
		execv(real, argv);
		fprintf(stderr, "interfero: cannot run %s: %s\n", real, strerror(errno));
	}
	ifr_link_release(&link);
	return status;
}

int main(int argc, char **argv) {
	const char *name = ifr_path_base(argv[0]);
	if (depth() >= DEEPEST) {
		fprintf(stderr, "interfero: %s: linkers call one another in a circle\n", name);
		return IFR_E_ENVIRONMENT;
	}
	char *real = find_linker(name);
	if (!real) {
		fprintf(stderr, "interfero: %s: there is no such linker in PATH; install it\n", name);
		return IFR_E_ENVIRONMENT;
	}
	int status = run(name, real, argc, argv);
	free(real);
	return status;
}
