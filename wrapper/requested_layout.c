/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wrapper/requested_layout.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/plan.h"
#include "common/strings.h"

#define OPTION "-finterfero-layout="
#define PREFETCH_OPTION "-finterfero-prefetch="
#define PREFETCH_VARIABLE "INTERFERO_PREFETCH"
#define PLAN_VARIABLE "INTERFERO_PLAN"

bool is_layout_option(const char *argument) {
	return ifr_starts_with(argument, OPTION) || ifr_starts_with(argument, PREFETCH_OPTION);
}

static bool is_given(const char *value) {
	return value && *value;
}

static bool has_compiler_axes(const char *path) {
	struct ifr_plan plan;
	ifr_plan_init(&plan);
	const bool has = !ifr_plan_read(path, &plan, NULL) && (ifr_plan_axes(&plan) & ifr_axes_of(IFR_OWNER_PLUGIN));
	ifr_plan_release(&plan);
	return has;
}

/* The absolute path that the last option of a kind names, or else the variable; NULL: none. */
static char *find_request(int argc, char **argv, const char *option, const char *variable) {
	const char *value = getenv(variable);
	char cwd[PATH_MAX];
	for (int i = 1; i < argc; i++)
		if (ifr_starts_with(argv[i], option))
			value = argv[i] + strlen(option);
	if (!is_given(value))
		return NULL;
	return getcwd(cwd, sizeof cwd) ? ifr_path_normalise(cwd, value) : ifr_strdup(value);
}

char *prefetch_request(int argc, char **argv) {
	char *path = find_request(argc, argv, PREFETCH_OPTION, PREFETCH_VARIABLE);
	/* The plugin looks at the variable, too. */
	unsetenv(PREFETCH_VARIABLE);
	return path;
}

void layout_request(int argc, char **argv) {
	char *path = find_request(argc, argv, OPTION, LAYOUT_VARIABLE);
	if (!path) {
		unsetenv(LAYOUT_VARIABLE);
		return;
	}
	setenv(LAYOUT_VARIABLE, path, 1);
	if (!is_given(getenv(PLAN_VARIABLE)) && has_compiler_axes(path))
		setenv(PLAN_VARIABLE, path, 1);
	free(path);
}
