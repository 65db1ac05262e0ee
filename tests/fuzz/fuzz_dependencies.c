/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entries of a dependency file are parts of its lines, each once. The same bytes as words of a command line
 * are classified. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "wrapper/capture/capture.h"
#include "wrapper/capture/options.h"

int ifr_fuzz_one(const unsigned char *data, size_t size);

static void is_classified(const char *word, const char *next) {
	struct option_use use = option_read(word, next);
	assert(use.words == 1 || (use.words == 2 && next && use.value == next));
	if (use.words == 1 && use.value)
		assert(use.value >= word && use.value <= word + strlen(word));
	assert(use.name == word);
}

/* The arguments of a repeated link name no file outside of the kit, except in values that end up in the program. */
static void is_repeated(const struct ifr_strings *words) {
	struct ifr_link link = {0};
	struct ifr_strings arguments = {0}, files = {0};
	ifr_strings_add_all(&link.arguments, words);
	ifr_link_arguments(&link, "/w", &arguments, &files);
	for (size_t i = 0; i < files.count; i++)
		assert(*files.items[i] == '/');
	assert(arguments.count <= words->count + 1);
	for (size_t i = 0; i < arguments.count; i++) {
		struct option_use use = option_read(arguments.items[i], arguments.items[i + 1]);
		if (use.words == 2)
			i++;
		assert(use.kind != OPTION_INPUT || *use.value != '/');
		assert(use.kind != OPTION_FILE || !use.value || *use.value != '/');
	}
	ifr_strings_release(&arguments);
	ifr_strings_release(&files);
	ifr_link_release(&link);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	struct ifr_buffer text = {0};
	struct ifr_strings files = {0};
	ifr_buffer_append(&text, data, size);
	ifr_dependencies_parse(ifr_buffer_text(&text), &files);
	for (size_t i = 0; i < files.count; i++) {
		assert(!strchr(files.items[i], '\n'));
		assert(strstr(ifr_buffer_text(&text), files.items[i]));
		for (size_t j = 0; j < i; j++)
			assert(strcmp(files.items[i], files.items[j]));
		is_classified(files.items[i], files.items[i + 1]);
		ifr_link_is_probe(files.items[i], "/w");
	}
	is_repeated(&files);
	ifr_strings_release(&files);
	ifr_buffer_release(&text);
	return 0;
}
