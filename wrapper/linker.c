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
#include "wrapper/capture/ltrans.h"

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

static bool worth_capturing(const struct ifr_link *link, char cwd[PATH_MAX]) {
	const char *capture = getenv("INTERFERO_CAPTURE");
	return depth() == 0 && link->has_inputs && !link->relocatable && !(capture && !strcmp(capture, "0")) &&
	       getcwd(cwd, PATH_MAX) && !ifr_link_is_probe(link->output, cwd);
}

static int run_linker(const char *real, const struct ifr_strings *given, const struct ifr_strings *more,
                      int *status, struct ifr_error *err) {
	struct ifr_strings arguments = {0};
	ifr_strings_add(&arguments, real);
	ifr_strings_add_all(&arguments, given);
	ifr_strings_add_all(&arguments, more);
	struct ifr_process process = {.argv = (const char *const *)arguments.items};
	int result = ifr_process_run(&process, status, err);
	ifr_strings_release(&arguments);
	return result;
}

/* Where a captured link leaves its traces, besides the program. */
struct traces {
	char *folder;       /* of our own, for the time of the link */
	char *map;          /* NULL unless the linker is ld.bfd */
	char *dependencies; /* the same */
};

static void remove_traces(struct traces *traces) {
	if (traces->folder)
		ifr_tree_remove(traces->folder, NULL);
	free(traces->folder);
	free(traces->map);
	free(traces->dependencies);
}

static int make_folder(const char *cwd, char **folder, struct ifr_error *err) {
	char *made = NULL;
	int result = ifr_temporary_dir(&made, err);
	if (!result)
		*folder = ifr_path_normalise(cwd, made);
	free(made);
	return result;
}

/* Asks ld.bfd for a map and a list of what it read, unless the user has asked already. */
static void ask_for_traces(const struct ifr_link *link, struct traces *traces, struct ifr_strings *more) {
	traces->map = link->map ? ifr_strdup(link->map) : ifr_format("%s/map", traces->folder);
	traces->dependencies =
		link->dependency_file ? ifr_strdup(link->dependency_file) : ifr_format("%s/dependencies", traces->folder);
	if (!link->map)
		ifr_strings_take(more, ifr_format("-Map=%s", traces->map));
	if (!link->dependency_file)
		ifr_strings_take(more, ifr_format("--dependency-file=%s", traces->dependencies));
}

/* Puts our program in the place of the lto-wrapper that the link may run; given stays as it is after an error. */
static int ask_for_ltrans(struct ifr_link *link, const char *cwd, const char *folder, int argc, char **argv,
                          struct ifr_strings *given, struct ifr_error *err) {
	char *keeper = ltrans_keeper(), *wrapper = keeper ? ltrans_wrapper_of(link, cwd, keeper) : NULL;
	struct ifr_strings changed = {0};
	int result = wrapper ? ltrans_arguments(link, argc, argv, keeper, folder, &changed, err) : 0;
	if (wrapper && !result) {
		setenv("INTERFERO_LTO_WRAPPER", wrapper, 1);
		setenv("INTERFERO_LTRANS", folder, 1);
		link->watches_ltrans = true;
		ifr_strings_release(given);
		ifr_strings_add_all(given, &changed);
	}
	ifr_strings_release(&changed);
	free(wrapper);
	free(keeper);
	return result;
}

static int link_and_capture(const char *name, const char *real, struct ifr_link *link, const char *cwd, int argc,
                            char **argv) {
	struct ifr_error err = {0}, start = {0};
	struct ifr_strings given = {0}, more = {0};
	struct traces traces = {0};
	const char *kind = kind_of(name, real);
	int status = 0, captured = make_folder(cwd, &traces.folder, &err);
	for (int i = 1; i < argc; i++)
		ifr_strings_add(&given, argv[i]);
	if (!captured && !strcmp(kind, "ld.bfd"))
		ask_for_traces(link, &traces, &more);
	/* lld runs no lto-wrapper, and does not take another name for one. */
	if (!captured && strcmp(kind, "ld.lld"))
		captured = ask_for_ltrans(link, cwd, traces.folder, argc, argv, &given, &err);
	if (!link->has_build_id)
		ifr_strings_add(&more, "--build-id=sha1");
	if (run_linker(real, &given, &more, &status, &start)) {
		fprintf(stderr, "interfero: %s\n", start.message);
		status = start.code;
	}
	if (!captured && !status)
		captured = ltrans_collect(link, traces.folder, &err);
	if (!captured && !status)
		captured = ifr_capture(link, kind, real, traces.dependencies, traces.map, &err);
	if (captured && !status)
		fprintf(stderr, "interfero: warning: there will be no kit of %s: %s\n", link->output, err.message);
	remove_traces(&traces);
	ifr_strings_release(&given);
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
	char cwd[PATH_MAX], deeper[16];
	bool capture = worth_capturing(&link, cwd);
	snprintf(deeper, sizeof deeper, "%d", depth() + 1);
	setenv(GUARD, deeper, 1);
	int status = IFR_E_ENVIRONMENT;
	if (capture) {
		status = link_and_capture(name, real, &link, cwd, argc, argv);
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
