/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/gcc.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/process.h"
#include "common/strings.h"

int ifr_gcc_name_length(const char *name) {
	const char *dash = strrchr(name, '-');
	const bool versioned = dash && isdigit((unsigned char)dash[1]) && !dash[1 + strspn(dash + 1, "0123456789.")];
	return (int)(versioned ? (size_t)(dash - name) : strlen(name));
}

/* 12 from "/usr/bin/x86_64-linux-gnu-gcc-12"; 0 from all that is no versioned driver of GCC's. */
static int read_version(const char *path) {
	static const char *const drivers[] = {"gcc", "g++", "gfortran"};
	const char *base = ifr_path_base(path);
	char *name = ifr_format("%.*s", ifr_gcc_name_length(base), base);
	int version = 0;
	for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
		if (ifr_ends_with(name, drivers[i]) && strlen(base) > strlen(name))
			version = atoi(base + strlen(name) + 1);
	free(name);
	return version;
}

static int ask_version(const char *path) {
	const char *const argv[] = {path, "-dumpversion", NULL};
	struct ifr_buffer answer = {0}, errors = {0};
	const struct ifr_process process = {.argv = argv, .out = &answer, .errors = &errors};
	int status = 0;
	const bool good = !ifr_process_run(&process, &status, NULL) && !status;
	const int version = good ? atoi(ifr_buffer_text(&answer)) : 0;
	ifr_buffer_release(&answer);
	ifr_buffer_release(&errors);
	return version;
}

int ifr_gcc_version(const char *path) {
	char *real = realpath(path, NULL);
	int version = real ? read_version(real) : 0;
	free(real);
	version = version ? version : read_version(path);
	return version ? version : ask_version(path);
}

char *ifr_gcc_plugin_path(int version) {
	char *name = ifr_format("gcc-%d/interfero.so", version), *path = ifr_path_libexec(name);
	free(name);
	return path;
}
