/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands between the linker's plugin and GCC's lto-wrapper in a link that wrapper/linker.c captures: runs the real
 * lto-wrapper with the same arguments, copies the objects that it made, whose names it prints, and prints what it
 * printed. Whatever goes wrong with the copies, the link does not notice: the list of them is then missing, and a
 * file "untouched", there before, is gone.
 *
 * INTERFERO_LTO_WRAPPER is the real one's absolute path, INTERFERO_LTRANS the folder for the copies: "0.o", "1.o"
 * and so on, and last "list" with the names that were printed, a line each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/process.h"
#include "common/strings.h"

/* Set for the real lto-wrapper and all that it starts: who finds it set is being called in a circle. */
#define GUARD "INTERFERO_KEEPING_LTRANS"

static void keep(const struct ifr_buffer *printed, const char *folder) {
	struct ifr_strings names = {0};
	char *list = ifr_format("%s/list", folder), *untouched = ifr_format("%s/untouched", folder);
	unlink(untouched);
	ifr_strings_split(&names, ifr_buffer_text(printed), "\n");
	int result = 0;
	/* A linker may come here twice: what counts is the last time, if that went well. */
	unlink(list);
	for (size_t i = 0; i < names.count && !result; i++) {
		char *copy = ifr_format("%s/%zu.o", folder, i);
		result = ifr_file_copy(names.items[i], copy, 0600, NULL);
		free(copy);
	}
	if (!result)
		ifr_file_write(list, ifr_buffer_text(printed), printed->length, 0600, NULL);
	ifr_strings_release(&names);
	free(untouched);
	free(list);
}

static int failed(const char *what) {
	fprintf(stderr, "interfero: keep-ltrans: %s\n", what);
	return IFR_E_ENVIRONMENT;
}

static int run(const char *real, const char *folder, char **argv) {
	struct ifr_strings arguments = {0};
	struct ifr_buffer printed = {0};
	struct ifr_error err = {0};
	int status = 0;
	static const char *const environment[] = {GUARD "=1", "INTERFERO_LTO_WRAPPER", "INTERFERO_LTRANS", NULL};
	ifr_strings_add(&arguments, real);
	for (size_t i = 1; argv[i]; i++)
		ifr_strings_add(&arguments, argv[i]);
	struct ifr_process process = {
		.argv = (const char *const *)arguments.items, .set_env = environment, .out = &printed};
	if (ifr_process_run(&process, &status, &err))
		status = failed(err.message);
	else if (!status && folder)
		keep(&printed, folder);
	fwrite(ifr_buffer_text(&printed), 1, printed.length, stdout);
	if (fflush(stdout) && !status)
		status = failed("cannot write to standard output");
	ifr_buffer_release(&printed);
	ifr_strings_release(&arguments);
	return status;
}

int main(int argc, char **argv) {
	if (argc < 1 || getenv(GUARD))
		return failed("called by the lto-wrapper that it called");
	const char *named = getenv("INTERFERO_LTO_WRAPPER"), *folder = getenv("INTERFERO_LTRANS");
	char *self = ifr_path_self();
	const char *const not_this[] = {self, NULL};
	char *real = named && *named == '/' && self ? ifr_program_find(named, not_this) : NULL;
	int status = real ? run(real, folder, argv) : failed("INTERFERO_LTO_WRAPPER names no lto-wrapper");
	free(real);
	free(self);
	return status;
}
