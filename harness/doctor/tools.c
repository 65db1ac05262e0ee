/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of the tools that interfero runs, of its plugin, and of the folder for kits. */
#include "harness/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/gcc.h"
#include "common/process.h"
#include "harness/exec/exec.h"
#include "kit/kit.h"

static const int64_t tool_limit_ns = INT64_C(10000000000);

/* Runs a tool with a time limit and appends the first line of its output. Returns its exit status, -1 if it did
 * not end. */
static int run_tool(char *const *argv, struct ifr_buffer *line) {
	struct ifr_context context;
	struct ifr_outcome outcome;
	ifr_context_init(&context, NULL);
	struct ifr_launch launch = {
		.program = argv[0],
		.argv = argv,
		.context = &context,
		.cpu = -1,
		.keep_aslr = true,
		.timeout_ns = tool_limit_ns,
	};
	ifr_outcome_init(&outcome);
	bool ended = !ifr_launch_run(&launch, &outcome, NULL) && !outcome.timed_out && !outcome.interrupted;
	int status = ended ? outcome.exit_status : -1;
	const char *said = ifr_buffer_text(outcome.output.length ? &outcome.output : &outcome.errors);
	ifr_buffer_append(line, said, strcspn(said, "\n"));
	ifr_outcome_release(&outcome);
	ifr_context_release(&context);
	return status;
}

/* Checks a tool that prints its version with --version. */
static void check_tool(struct ifr_checkup *checkup, const char *name, enum ifr_check_status without,
                       const char *remedy) {
	struct ifr_buffer version = {0};
	char *shim = ifr_format("ld/%s", name), *ours = ifr_path_libexec(shim);
	const char *const not_this[] = {ours, NULL};
	char *path = ifr_program_find(name, not_this), option[] = "--version", *const argv[] = {path, option, NULL};
	if (!path)
		ifr_checkup_add(checkup, name, without, remedy, "not found in PATH");
	else if (run_tool(argv, &version))
		ifr_checkup_add(checkup, name, without, remedy, "%s does not work%s%s", path, version.length ? ": " : "",
		                ifr_buffer_text(&version));
	else
		ifr_checkup_add(checkup, name, IFR_CHECK_OK, "", "%s", ifr_buffer_text(&version));
	ifr_buffer_release(&version);
	free(path);
	free(ours);
	free(shim);
}

/* The path of the compiler that interfero-gcc runs, NULL if there is none; the caller frees. */
static char *find_compiler(void) {
	const char *chosen = getenv("INTERFERO_GCC");
	return ifr_program_find(chosen && *chosen ? chosen : "gcc", NULL);
}

/* Loads the plugin into the compiler: only the compiler can tell whether the plugin was built for it. */
static void check_plugin_loads(struct ifr_checkup *checkup, const char *plugin, char *gcc) {
	char dump[] = "-dumpfullversion", check[] = "-fsyntax-only", language[] = "-xc", input[] = "/dev/null";
	char *load = ifr_format("-fplugin=%s", plugin), *const ask_version[] = {gcc, dump, NULL},
		 *const ask_load[] = {gcc, load, check, language, input, NULL};
	struct ifr_buffer version = {0}, trouble = {0};
	if (run_tool(ask_version, &version))
		ifr_checkup_add(checkup, "plugin", IFR_CHECK_WARN,
		                "mend the compiler, or name another one in INTERFERO_GCC", "%s does not work", gcc);
	else if (run_tool(ask_load, &trouble))
		ifr_checkup_add(checkup, "plugin", IFR_CHECK_WARN,
		                "build interfero again with this gcc, or name the right gcc in INTERFERO_GCC",
		                "does not load into gcc %s: %s", ifr_buffer_text(&version), ifr_buffer_text(&trouble));
	else
		ifr_checkup_add(checkup, "plugin", IFR_CHECK_OK, "", "loads into gcc %s", ifr_buffer_text(&version));
	ifr_buffer_release(&version);
	ifr_buffer_release(&trouble);
	free(load);
}

static void check_plugin(struct ifr_checkup *checkup) {
	char *gcc = find_compiler();
	if (!gcc) {
		ifr_checkup_add(checkup, "plugin", IFR_CHECK_WARN, "install gcc, or name it in INTERFERO_GCC",
		                "there is no gcc to load it");
		return;
	}
	const int version = ifr_gcc_version(gcc);
	char *plugin = ifr_gcc_plugin_path(version);
	char *remedy =
		ifr_format("install the package gcc-%d-plugin-interfero, or gcc-%d-plugin-dev and build interfero "
	               "again; the axes of the linker and of the launcher work without it",
	               version, version);
	if (!ifr_file_exists(plugin))
		ifr_checkup_add(checkup, "plugin", IFR_CHECK_WARN, remedy, "%s is not there", plugin);
	else
		check_plugin_loads(checkup, plugin, gcc);
	free(remedy);
	free(plugin);
	free(gcc);
}

/* The path, or its nearest parent folder that exists; the caller frees. */
static char *nearest_existing(const char *path) {
	char *folder = ifr_strdup(path);
	while (!ifr_file_exists(folder) && strcmp(folder, "/") && strcmp(folder, ".")) {
		char *above = ifr_path_dir(folder);
		free(folder);
		folder = above;
	}
	return folder;
}

/* Makes and removes a folder: permissions alone say little to root, and of read-only file systems. */
static bool can_hold_folders(const char *path) {
	char *folder = nearest_existing(path), *attempt = ifr_format("%s/.interfero-XXXXXX", folder);
	bool made = mkdtemp(attempt) && !rmdir(attempt);
	free(attempt);
	free(folder);
	return made;
}

static void check_kits(struct ifr_checkup *checkup) {
	static const char remedy[] = "let INTERFERO_KITS name a folder that you may write to";
	char *store = NULL;
	struct ifr_error err = {0};
	if (ifr_kit_store_path(&store, &err)) {
		ifr_checkup_add(checkup, "kits", IFR_CHECK_BAD, remedy, "%s", err.message);
		return;
	}
	bool writable = can_hold_folders(store);
	ifr_checkup_add(checkup, "kits", writable ? IFR_CHECK_OK : IFR_CHECK_BAD, remedy,
	                writable ? "can be kept in %s" : "cannot be kept in %s", store);
	free(store);
}

void ifr_checkup_tools(struct ifr_checkup *checkup) {
	check_tool(checkup, "ld.bfd", IFR_CHECK_BAD, "install binutils: every layout is linked with ld.bfd");
	check_plugin(checkup);
	ifr_checkup_recorder(checkup);
	check_tool(checkup, "gnuplot", IFR_CHECK_WARN, "install gnuplot for figures (gnuplot-nox is enough)");
	check_kits(checkup);
}
