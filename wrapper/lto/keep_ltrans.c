/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keep-ltrans: runs in place of GCC's lto-wrapper in a link that wrapper/linker.c captures.
 *
 * Runs the real lto-wrapper with the same arguments, copies the objects that it made, whose names it prints, and
 * prints its output again. A failed copy does not disturb the link.
 *
 *     INTERFERO_LTO_WRAPPER      absolute path of the real lto-wrapper
 *     INTERFERO_LTRANS           the folder of the copies
 *         FOLDER/untouched       removed before the copies: its absence tells wrapper/linker.c of objects
 *         FOLDER/0.o, 1.o, …     the copies
 *         FOLDER/list            the printed names, a line each; written last, missing if a copy failed */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/process.h"
#include "common/strings.h"

/* Set for the real lto-wrapper and all that it starts; a keep-ltrans that finds it set was called in a circle. */
#define GUARD "INTERFERO_KEEPING_LTRANS"

static void copy_objects(const struct ifr_buffer *printed, const char *folder) {
	struct ifr_strings names = {0};
	char *list = ifr_format("%s/list", folder), *untouched = ifr_format("%s/untouched", folder);
	unlink(untouched);
	ifr_strings_split(&names, ifr_buffer_text(printed), "\n");
	int result = 0;
	/* A linker may start this program twice: the last call counts. */
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

static int print_failure(const char *failure) {
	fprintf(stderr, "interfero: keep-ltrans: %s\n", failure);
	return IFR_E_ENVIRONMENT;
}

static int run_lto_wrapper(const char *real, const char *folder, char **argv) {
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
		status = print_failure(err.message);
	else if (!status && folder)
		copy_objects(&printed, folder);
	fwrite(ifr_buffer_text(&printed), 1, printed.length, stdout);
	if (fflush(stdout) && !status)
		status = print_failure("cannot write to standard output");
	ifr_buffer_release(&printed);
	ifr_strings_release(&arguments);
	return status;
}

int main(int argc, char **argv) {
	if (argc < 1 || getenv(GUARD))
		return print_failure("called by the lto-wrapper that it called");
	const char *named = getenv("INTERFERO_LTO_WRAPPER"), *folder = getenv("INTERFERO_LTRANS");
	char *self = ifr_path_self();
	const char *const not_this[] = {self, NULL};
	char *real = named && *named == '/' && self ? ifr_program_find(named, not_this) : NULL;
	int status =
		real ? run_lto_wrapper(real, folder, argv) : print_failure("INTERFERO_LTO_WRAPPER names no lto-wrapper");
	free(real);
	free(self);
	return status;
}
