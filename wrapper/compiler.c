/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero-gcc, interfero-g++, interfero-gfortran, interfero-clang, interfero-clang++, and with a version, as in
 * interfero-gcc-12: drivers that exec the compiler of the same name with added arguments:
 *
 * - a section for each function and datum
 * - our folder of linkers (wrapper/linker.c) in front of the real linkers
 * - our plugin, that of the compiler's version; it is GCC's: not with clang, and nothing of what follows
 * - with INTERFERO_TEMPLATES or INTERFERO_SOURCES: templates, and our folder of assemblers (wrapper/assembler.c)
 * - with INTERFERO_SOURCES: our folder of compilers proper (wrapper/proper.c)
 * - with INTERFERO_PREFETCH, or -finterfero-prefetch=FILE: the file of advised prefetches, for the plugin
 *
 * A layout that the build asks for is passed on in the environment (wrapper/requested_layout.h).
 *
 * The driver never waits for the compiler and never runs twice in one chain of commands. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/file.h"
#include "common/gcc.h"
#include "common/process.h"
#include "common/strings.h"
#include "wrapper/requested_layout.h"

/* Set for the compiler and all that it starts; a driver that finds it set was called in a circle. */
#define GUARD "INTERFERO_COMPILING"

static int print_failure(const char *name, const char *failure, const char *object, const char *remedy) {
	fprintf(stderr, "%s: %s%s; %s\n", name, failure, object, remedy);
	return IFR_E_ENVIRONMENT;
}

/* "gcc" from "/somewhere/interfero-gcc". */
static const char *compiler_of(const char *called_as) {
	const char *base = ifr_path_base(called_as);
	return ifr_starts_with(base, "interfero-") ? base + strlen("interfero-") : "gcc";
}

/* The compiler that its variable names, else the one of its own name. A name with a version has no variable. */
static const char *wanted_compiler(const char *compiler) {
	static const char *const variables[][2] = {{"gcc", "INTERFERO_GCC"},
	                                           {"g++", "INTERFERO_GXX"},
	                                           {"gfortran", "INTERFERO_GFORTRAN"},
	                                           {"clang", "INTERFERO_CLANG"},
	                                           {"clang++", "INTERFERO_CLANGXX"}};
	const char *chosen = NULL;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (!strcmp(compiler, variables[i][0]))
			chosen = getenv(variables[i][1]);
	return chosen && *chosen ? chosen : compiler;
}

static char *find_compiler(const char *compiler, const char *self) {
	const char *const not_this[] = {self, NULL};
	return ifr_program_find(wanted_compiler(compiler), not_this);
}

/* Whether the compiler behind a path is clang, by the name of the file that it leads to: our plugin is GCC's. */
static bool is_clang(const char *path) {
	char *real = realpath(path, NULL);
	const char *base = ifr_path_base(real ? real : path);
	const bool clang = strstr(base, "clang") || strstr(ifr_path_base(path), "clang");
	free(real);
	return clang;
}

/* Whether this program was called to run clang. */
static bool is_for_clang(const char *compiler) {
	return ifr_starts_with(compiler, "clang");
}

/* Build systems look for gcc-ar, gcc-nm and gcc-ranlib by the compiler's prefix: the real programs are run with
 * unchanged arguments. */
static bool is_companion(const char *compiler) {
	char *name = ifr_format("%.*s", ifr_gcc_name_length(compiler), compiler);
	const bool companion =
		ifr_ends_with(name, "-ar") || ifr_ends_with(name, "-nm") || ifr_ends_with(name, "-ranlib");
	free(name);
	return companion;
}

/* Whether the command only asks the compiler, such as -print-prog-name=ld: build systems keep the answers in files,
 * which must not name our programs. Other options -dump…, such as -dumpbase-ext, belong to compilations. */
static bool is_question(int argc, char **argv) {
	static const char *const questions[] = {"-dumpversion", "-dumpfullversion", "-dumpmachine", "-dumpspecs"};
	for (int i = 1; i < argc; i++) {
		if (ifr_starts_with(argv[i], "-print-"))
			return true;
		for (size_t j = 0; j < sizeof questions / sizeof *questions; j++)
			if (!strcmp(argv[i], questions[j]))
				return true;
	}
	return false;
}

static bool is_set(const char *variable) {
	const char *value = getenv(variable);
	return value && *value && strcmp(value, "0");
}

static bool wants_templates(void) {
	return is_set("INTERFERO_SOURCES") || is_set("INTERFERO_TEMPLATES");
}

static void add_gcc_arguments(struct ifr_strings *arguments, const char *home, const char *plugin, int argc,
                              char **argv) {
	char *prefetches = prefetch_request(argc, argv);
	ifr_strings_take(arguments, ifr_format("-fplugin=%s", plugin));
	if (prefetches)
		ifr_strings_take(arguments, ifr_format("-fplugin-arg-interfero-prefetch=%s", prefetches));
	free(prefetches);
	if (wants_templates()) {
		ifr_strings_add(arguments, "-fplugin-arg-interfero-templates");
		ifr_strings_take(arguments, ifr_format("-B%s/as/", home));
	}
	if (is_set("INTERFERO_SOURCES"))
		ifr_strings_take(arguments, ifr_format("-B%s/cc/", home));
}

/* Puts our arguments in front of the user's and execs the compiler; returns only if that fails. Without a plugin, the
 * compiler is clang. */
static int exec_compiler(const char *name, const char *real, const char *plugin, int argc, char **argv) {
	struct ifr_strings arguments = {0};
	char *home = ifr_path_libexec("");
	ifr_strings_add(&arguments, real);
	if (!is_companion(compiler_of(argv[0])) && !is_question(argc, argv)) {
		ifr_strings_add(&arguments, "-ffunction-sections");
		ifr_strings_add(&arguments, "-fdata-sections");
		ifr_strings_take(&arguments, ifr_format("-B%s/ld/", home));
		if (plugin)
			add_gcc_arguments(&arguments, home, plugin, argc, argv);
	}
	for (int i = 1; i < argc; i++)
		if (!is_layout_option(argv[i]))
			ifr_strings_add(&arguments, argv[i]);
	layout_request(argc, argv);
	execv(real, arguments.items);
	int status = print_failure(name, "cannot run ", real, strerror(errno));
	ifr_strings_release(&arguments);
	free(home);
	return status;
}

/* Execs GCC with the plugin of its version. A driver that does not tell its version gets that of the GCC that built
 * interfero: the plugin itself says where it does not fit. */
static int exec_gcc(const char *name, const char *real, int argc, char **argv) {
	const int told = ifr_gcc_version(real), version = told ? told : __GNUC__;
	char *plugin = ifr_gcc_plugin_path(version);
	int status;
	if (!ifr_file_exists(plugin)) {
		char *failure = ifr_format("there is no plugin for gcc %d, ", version);
		char *remedy = ifr_format("install the package gcc-%d-plugin-interfero, or gcc-%d-plugin-dev and build "
		                          "interfero again",
		                          version, version);
		status = print_failure(name, failure, plugin, remedy);
		free(remedy);
		free(failure);
	} else {
		status = exec_compiler(name, real, plugin, argc, argv);
	}
	free(plugin);
	return status;
}

/* Without the compiler of a name there is, in Debian, the package of that name. */
static int print_no_compiler(const char *name, const char *wanted) {
	static const char variables[] = "set INTERFERO_GCC (_GXX, _GFORTRAN, _CLANG, _CLANGXX)";
	char *remedy = strchr(wanted, '/') ? ifr_format("install it, or %s", variables)
	                                   : ifr_format("install the package %s, or %s", wanted, variables);
	const int status = print_failure(name, "there is no compiler ", wanted, remedy);
	free(remedy);
	return status;
}

static int find_and_exec_compiler(const char *name, const char *self, int argc, char **argv) {
	const char *compiler = compiler_of(argv[0]);
	char *real = find_compiler(compiler, self);
	int status;
	const bool clang = is_for_clang(compiler), companion = is_companion(compiler);
	/* From here on the compiler is called: first, perhaps, for its version. */
	setenv(GUARD, "1", 1);
	if (!real)
		status = print_no_compiler(name, wanted_compiler(compiler));
	else if (!clang && !companion && is_clang(real))
		status = print_failure(name, real, " is clang, which cannot load a plugin of GCC's",
		                       "take interfero-clang, or interfero-clang++");
	else if (clang && wants_templates())
		status =
			print_failure(name, "clang keeps no templates and sources, which the plugin of GCC makes", "",
		                  "leave INTERFERO_TEMPLATES and INTERFERO_SOURCES out, or compile with interfero-gcc");
	else if (clang || companion || is_question(argc, argv))
		status = exec_compiler(name, real, NULL, argc, argv);
	else
		status = exec_gcc(name, real, argc, argv);
	free(real);
	return status;
}

int main(int argc, char **argv) {
	/* Messages begin with interfero, even where this program is called by the name gcc. */
	char *name = ifr_format("interfero-%s", compiler_of(argv[0])), *self = ifr_path_self();
	int status;
	if (getenv(GUARD))
		status = print_failure(name, "called by the compiler that it called", "",
		                       "let INTERFERO_GCC (_GXX, _GFORTRAN, _CLANG, _CLANGXX) name the real compiler");
	else if (!self)
		status = print_failure(name, "cannot tell where it lies", "", "is /proc mounted?");
	else
		status = find_and_exec_compiler(name, self, argc, argv);
	free(self);
	free(name);
	return status;
}
