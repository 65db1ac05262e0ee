/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero-gcc, interfero-g++ and interfero-gfortran: the compiler of the same name with our plugin, a section
 * for each function and datum, and our folder of linkers (wrapper/linker.c) in front of the real ones.
 *
 * It adds arguments and becomes the compiler; it never waits and never runs twice in one chain of commands. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/strings.h"

/* Set for the compiler and all that it starts: who finds it set is being called in a circle. */
#define GUARD "INTERFERO_COMPILING"

static int failed(const char *name, const char *what, const char *thing, const char *remedy) {
	fprintf(stderr, "%s: %s%s; %s\n", name, what, thing, remedy);
	return IFR_E_ENVIRONMENT;
}

/* "gcc" from "/somewhere/interfero-gcc". */
static const char *compiler_of(const char *called_as) {
	const char *base = ifr_path_base(called_as);
	return ifr_starts_with(base, "interfero-") ? base + strlen("interfero-") : "gcc";
}

static char *find_compiler(const char *compiler, const char *self) {
	/* INTERFERO_GCC, INTERFERO_GXX and INTERFERO_GFORTRAN name another compiler of the same version. */
	const char *chosen = !strcmp(compiler, "gcc")        ? getenv("INTERFERO_GCC")
	                     : !strcmp(compiler, "g++")      ? getenv("INTERFERO_GXX")
	                     : !strcmp(compiler, "gfortran") ? getenv("INTERFERO_GFORTRAN")
	                                                     : NULL;
	const char *const not_this[] = {self, NULL};
	return ifr_program_find(chosen && *chosen ? chosen : compiler, not_this);
}

/* gcc-ar, gcc-nm and gcc-ranlib: build systems look for them by the compiler's prefix. They become the real ones.
 */
static bool is_companion(const char *compiler) {
	return ifr_ends_with(compiler, "-ar") || ifr_ends_with(compiler, "-nm") || ifr_ends_with(compiler, "-ranlib");
}

/* Questions whose answers build systems write into files that outlive us ("-print-prog-name=ld"). Their like, such
 * as -dumpbase-ext, belongs to compilations. */
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

static bool is_asked(const char *variable) {
	const char *value = getenv(variable);
	return value && *value && strcmp(value, "0");
}

/* Puts our arguments in front of the user's and becomes the compiler; returns only if that fails. */
static int become(const char *name, const char *real, const char *home, int argc, char **argv) {
	struct ifr_strings arguments = {0};
	/* Units are compiled once for many variants (compiletime/template.h); our assembler keeps the templates. What
	 * compiles them again (compiletime/recipe.h) is kept by our compilers proper. */
	bool sources = is_asked("INTERFERO_SOURCES");
	ifr_strings_add(&arguments, real);
	if (!is_companion(compiler_of(argv[0])) && !is_question(argc, argv)) {
		ifr_strings_take(&arguments, ifr_format("-fplugin=%s/interfero.so", home));
		ifr_strings_add(&arguments, "-ffunction-sections");
		ifr_strings_add(&arguments, "-fdata-sections");
		ifr_strings_take(&arguments, ifr_format("-B%s/ld/", home));
		if (sources || is_asked("INTERFERO_TEMPLATES")) {
			ifr_strings_add(&arguments, "-fplugin-arg-interfero-templates");
			ifr_strings_take(&arguments, ifr_format("-B%s/as/", home));
		}
		if (sources)
			ifr_strings_take(&arguments, ifr_format("-B%s/cc/", home));
	}
	for (int i = 1; i < argc; i++)
		ifr_strings_add(&arguments, argv[i]);
	setenv(GUARD, "1", 1);
	execv(real, arguments.items);
	int status = failed(name, "cannot run ", real, strerror(errno));
	ifr_strings_release(&arguments);
	return status;
}

static int compile(const char *name, const char *self, int argc, char **argv) {
	const char *compiler = compiler_of(argv[0]);
	char *real = find_compiler(compiler, self), *bin = ifr_path_dir(self);
	char *home = ifr_format("%s/../libexec/interfero", bin), *plugin = ifr_format("%s/interfero.so", home);
	int status;
	if (!real)
		status =
			failed(name, "there is no compiler ", compiler, "install it, or set INTERFERO_GCC (_GXX, _GFORTRAN)");
	else if (!ifr_file_exists(plugin))
		status = failed(name, "the plugin is missing: ", plugin, "install interfero again");
	else
		status = become(name, real, home, argc, argv);
	free(plugin);
	free(home);
	free(bin);
	free(real);
	return status;
}

int main(int argc, char **argv) {
	/* Messages say whose they are, also when a copy or a link is called gcc. */
	char *name = ifr_format("interfero-%s", compiler_of(argv[0])), *self = ifr_path_self();
	int status;
	if (getenv(GUARD))
		status = failed(name, "called by the compiler that it called", "",
		                "let INTERFERO_GCC, INTERFERO_GXX or INTERFERO_GFORTRAN name the real compiler");
	else if (!self)
		status = failed(name, "cannot tell where it lies", "", "is /proc mounted?");
	else
		status = compile(name, self, argc, argv);
	free(self);
	free(name);
	return status;
}
