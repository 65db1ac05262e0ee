/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ld, ld.bfd, ld.gold, ld.lld and ld.mold in our folder of linkers: runs the real linker of that name and then
 * captures the link as a kit.
 *
 * The link is never at risk. If the capture fails, the program is linked all the same, the exit status is the
 * linker's, and one warning says that there is no kit.
 *
 * Where the build asks for a layout (wrapper/requested_layout.h), the program gets it once it is captured. If that fails,
 * it stays as it was linked, with one warning; INTERFERO_LAYOUT_STRICT=1 makes this an error. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/plain_text.h"
#include "common/process.h"
#include "wrapper/capture/capture.h"
#include "wrapper/capture/ltrans.h"
#include "wrapper/requested_layout.h"

/* Counts our linkers in the chain of calls; a linker that calls a compiler to link makes it 1. */
#define GUARD "INTERFERO_LINKING"
enum { DEEPEST = 2 };

static int depth(void) {
	const char *text = getenv(GUARD);
	return text ? atoi(text) : 0;
}

/* The linker's kind, "ld.bfd" and so on: "ld" is a link to the system's choice. */
static const char *linker_kind(const char *name, const char *real) {
	char path[PATH_MAX];
	if (strcmp(name, "ld"))
		return name;
	const char *base = realpath(real, path) ? ifr_path_base(path) : "";
	return strstr(base, "gold")   ? "ld.gold"
	       : strstr(base, "lld")  ? "ld.lld"
	       : strstr(base, "mold") ? "ld.mold"
	                              : "ld.bfd";
}

/* Whether the link makes a program or library of the user's, and not one of a build system's tests. */
static bool makes_program(const struct ifr_link *link, char cwd[PATH_MAX]) {
	return depth() == 0 && link->has_inputs && !link->relocatable && getcwd(cwd, PATH_MAX) &&
	       !ifr_link_is_probe(link->output, cwd);
}

static bool wants_capture(void) {
	const char *capture = getenv("INTERFERO_CAPTURE");
	return !capture || strcmp(capture, "0") != 0;
}

/* The plan of the layout that the build asks for, or NULL. */
static const char *requested_layout(void) {
	const char *plan = getenv(LAYOUT_VARIABLE);
	return plan && *plan ? plan : NULL;
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

/* The by-products of a captured link. */
struct by_products {
	char *folder;       /* of our own, for the time of the link */
	char *map;          /* NULL unless the linker is ld.bfd */
	char *dependencies; /* NULL unless the linker is ld.bfd */
};

static void remove_by_products(struct by_products *by_products) {
	if (by_products->folder)
		ifr_tree_remove(by_products->folder, NULL);
	free(by_products->folder);
	free(by_products->map);
	free(by_products->dependencies);
}

static int make_folder(const char *cwd, char **folder, struct ifr_error *err) {
	char *made = NULL;
	int result = ifr_temporary_dir(&made, err);
	if (!result)
		*folder = ifr_path_normalise(cwd, made);
	free(made);
	return result;
}

/* Makes ld.bfd write a map and a dependency file, or uses those that the user has asked for. */
static void request_by_products(const struct ifr_link *link, struct by_products *by_products,
                                struct ifr_strings *more) {
	by_products->map = link->map ? ifr_strdup(link->map) : ifr_format("%s/map", by_products->folder);
	by_products->dependencies = link->dependency_file ? ifr_strdup(link->dependency_file)
	                                                  : ifr_format("%s/dependencies", by_products->folder);
	if (!link->map)
		ifr_strings_take(more, ifr_format("-Map=%s", by_products->map));
	if (!link->dependency_file)
		ifr_strings_take(more, ifr_format("--dependency-file=%s", by_products->dependencies));
}

/* Puts keep-ltrans in place of the lto-wrapper that the link may run; after an error `given` is unchanged. */
static int request_ltrans(struct ifr_link *link, const char *cwd, const char *folder, int argc, char **argv,
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

static void warn_missing(const char *output, const char *why) {
	struct ifr_buffer text = {0};
	ifr_buffer_puts(&text, "interfero: warning: there will be no kit of ");
	ifr_escape_plain(&text, output);
	ifr_buffer_puts(&text, ": ");
	ifr_escape_plain(&text, why);
	fprintf(stderr, "%s\n", ifr_buffer_text(&text));
	ifr_buffer_release(&text);
}

/* Gives the program the requested layout; why: the reason if there is no kit, else NULL. Returns the exit status; a link
 * that fails leaves no program. */
static int follow_layout(const struct ifr_link *link, const char *plan, const char *why) {
	struct ifr_error err = {0};
	int status = 0;
	if (why || ifr_link_pin(link->output, plan, &err))
		status = ifr_link_report_unpinned(link->output, plan, why ? why : err.message);
	if (status)
		unlink(link->output);
	return status;
}

static int link_and_capture(const char *name, const char *real, struct ifr_link *link, const char *cwd, int argc,
                            char **argv) {
	struct ifr_error err = {0}, start = {0};
	struct ifr_strings given = {0}, more = {0};
	struct by_products by_products = {0};
	const char *kind = linker_kind(name, real);
	int status = 0, captured = make_folder(cwd, &by_products.folder, &err);
	for (int i = 1; i < argc; i++)
		ifr_strings_add(&given, argv[i]);
	if (!captured && !strcmp(kind, "ld.bfd"))
		request_by_products(link, &by_products, &more);
	/* lld runs no lto-wrapper, and does not take another name for one. */
	if (!captured && strcmp(kind, "ld.lld"))
		captured = request_ltrans(link, cwd, by_products.folder, argc, argv, &given, &err);
	if (!link->has_build_id)
		ifr_strings_add(&more, "--build-id=sha1");
	if (run_linker(real, &given, &more, &status, &start)) {
		fprintf(stderr, "interfero: %s\n", start.message);
		status = start.code;
	}
	if (!captured && !status)
		captured = ltrans_collect(link, by_products.folder, &err);
	if (!captured && !status)
		captured = ifr_capture(link, kind, real, by_products.dependencies, by_products.map, &err);
	const char *layout = requested_layout();
	if (!status && layout)
		status = follow_layout(link, layout, captured ? err.message : NULL);
	else if (captured && !status)
		warn_missing(link->output, err.message);
	remove_by_products(&by_products);
	ifr_strings_release(&given);
	ifr_strings_release(&more);
	return status;
}

/* The path of the real linker, never of this file; the caller frees. */
static char *find_linker(const char *name) {
	char *self = ifr_path_self();
	const char *const not_this[] = {self, NULL};
	const char *chosen = getenv("INTERFERO_LD");
	char *real =
		self ? ifr_program_find(chosen && *chosen && !strcmp(name, "ld") ? chosen : name, not_this) : NULL;
	free(self);
	return real;
}

/* Execs the linker, or runs it and captures the link; returns the exit status. */
static int exec_or_capture(const char *name, char *real, int argc, char **argv) {
	struct ifr_link link;
	ifr_link_read(&link, argc, argv);
	char cwd[PATH_MAX], deeper[16];
	const bool program = makes_program(&link, cwd), capture = program && wants_capture();
	snprintf(deeper, sizeof deeper, "%d", depth() + 1);
	setenv(GUARD, deeper, 1);
	int status = IFR_E_ENVIRONMENT, unpinned = 0;
	if (program && !capture && requested_layout())
		unpinned = ifr_link_report_unpinned(link.output, requested_layout(), "INTERFERO_CAPTURE is 0");
	if (unpinned) {
		status = unpinned;
	} else if (capture) {
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
	int status = exec_or_capture(name, real, argc, argv);
	free(real);
	return status;
}
