/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A kit's manifest: printing and parsing a parsed manifest again gives the same, and no path leads out of the kit. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "kit/kit.h"

int ifr_fuzz_one(const unsigned char *data, size_t size);

static void stays_inside(const struct ifr_kit *kit) {
	assert(*kit->key && *kit->key != '.' && !strchr(kit->key, '/') && strlen(kit->key) < IFR_KEY_MAX);
	assert(*kit->cwd == '/');
	for (size_t i = 0; i < kit->input_count; i++) {
		const struct ifr_kit_input *input = &kit->inputs[i];
		char *below = ifr_format("/kit/root%s", input->path), *normal = ifr_path_normalise("/", below);
		assert(*input->path == '/' && !strcmp(below, normal));
		assert(strlen(input->sha256) == IFR_SHA256_HEX - 1 && !strchr(input->sha256, '/'));
		free(below);
		free(normal);
	}
}

static void is_printed_back(const struct ifr_kit *kit) {
	struct ifr_kit back;
	char *text = ifr_kit_print(kit);
	assert(text);
	assert(!ifr_kit_parse(text, strlen(text), "again", &back, NULL));
	char *again = ifr_kit_print(&back);
	assert(!strcmp(text, again));
	assert(back.arguments.count == kit->arguments.count && back.input_count == kit->input_count);
	free(again);
	free(text);
	ifr_kit_release(&back);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	struct ifr_kit kit;
	struct ifr_error err = {0};
	int result = ifr_kit_parse((const char *)data, size, "fuzz", &kit, &err);
	if (!result) {
		stays_inside(&kit);
		is_printed_back(&kit);
	} else {
		assert(result == -IFR_E_ENVIRONMENT && err.code == IFR_E_ENVIRONMENT);
		assert(!strncmp(err.message, "fuzz ", 5));
	}
	ifr_kit_release(&kit);
	return 0;
}
