/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/options.h"

#include <string.h>

#include "runtime/os.h"
#include "runtime/runtime.h"

static const char *const heap_words[] = {"glibc", "shuffle", "diehard", NULL};
static const char *const text_words[] = {"file", "huge", NULL};
static const char *const block_words[] = {"glibc", "aligned", "random", "alias-free", NULL};

#define FIELD(name) offsetof(struct options, name)
const struct option options_table[] = {
	{"heap", "INTERFERO_HEAP", heap_words, HEAP_GLIBC, 0, 0, 0, FIELD(heap), "how small objects are placed"},
	{"heap-seed", "INTERFERO_HEAP_SEED", NULL, 1, 0, UINT64_MAX, 0, FIELD(heap_seed), "the seed of that"},
	{"fullness", "INTERFERO_FULLNESS", NULL, 50, 5, 95, 0, FIELD(fullness_pct),
     "diehard: most of a size class that is in use, in percent"},
	{"window", "INTERFERO_WINDOW", NULL, 64, 2, 256, 0, FIELD(window_slots),
     "shuffle: among how many free slots one is chosen"},
	{"granule", "INTERFERO_GRANULE", NULL, 16, 16, 4096, 0, FIELD(granule_bytes),
     "sizes are rounded up to a multiple of so many bytes"},
	{"blocks", "INTERFERO_BLOCKS", block_words, BLOCKS_GLIBC, 0, 0, 0, FIELD(blocks),
     "page offsets of what is larger than 32 KiB"},
	{"blocks-seed", "INTERFERO_BLOCKS_SEED", NULL, 1, 0, UINT64_MAX, 0, FIELD(blocks_seed), "the seed of that"},
	{"sites", "INTERFERO_SITES", NULL, 0, 0, 0, sizeof((struct options *)0)->sites, FIELD(sites),
     "functions whose blocks have a page offset of their own"},
	{"site-offset", "INTERFERO_SITE_OFFSET", NULL, OS_PAGE_BYTES, 0, OS_PAGE_BYTES, 0, FIELD(site_offset),
     "that page offset; 4096: as far apart as possible, in the order of the names"},
	{"stack", "INTERFERO_STACK", NULL, 0, 0, 1 << 20, 0, FIELD(stack_bytes),
     "bytes under main's frame, rounded down to a multiple of 16"},
	{"text", "INTERFERO_TEXT", text_words, TEXT_FILE, 0, 0, 0, FIELD(text), "pages of the program's text"},
	{"repeat", "INTERFERO_REPEAT", NULL, 1, 1, 1000000, 0, FIELD(repeats),
     "how often a region of IFR_REPEAT runs"},
	{"events", "INTERFERO_EVENTS", NULL, 0, 0, IFR_REGION_EVENTS, 0, FIELD(events),
     "the launcher's: perf events that regions count"},
	{"log", "INTERFERO_LOG", NULL, 0, 0, 0, sizeof((struct options *)0)->log, FIELD(log),
     "file for the log of allocations"},
	{"report", "INTERFERO_REPORT", NULL, 0, 0, 0, sizeof((struct options *)0)->report, FIELD(report),
     "the launcher's descriptor"},
};
_Static_assert(sizeof options_table / sizeof *options_table == OPTIONS_COUNT, "the table and its length");

void options_init(struct options *options) {
	memset(options, 0, sizeof *options);
	for (int i = 0; i < OPTIONS_COUNT; i++)
		if (!options_table[i].text_bytes)
			*(uint64_t *)((char *)options + options_table[i].offset) = options_table[i].initial;
}

static bool is_word(const char *word, const char *text, size_t length) {
	return strlen(word) == length && !memcmp(word, text, length);
}

static bool read_word(const struct option *option, const char *text, size_t length, uint64_t *value) {
	for (uint64_t i = 0; option->words[i]; i++)
		if (is_word(option->words[i], text, length)) {
			*value = i;
			return true;
		}
	return false;
}

/* Reads a decimal number, or a hexadecimal one with 0x. strtoull would accept blanks and signs, and needs a
 * terminated string. */
static bool read_number(const struct option *option, const char *text, size_t length, uint64_t *value) {
	unsigned base = length > 2 && text[0] == '0' && text[1] == 'x' ? 16 : 10;
	uint64_t number = 0;
	for (size_t i = base == 16 ? 2 : 0; i < length; i++) {
		const char *digits = "0123456789abcdef", *digit = text[i] ? strchr(digits, text[i]) : NULL;
		if (!digit || digit - digits >= base || __builtin_mul_overflow(number, base, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(digit - digits), &number))
			return false;
	}
	*value = number;
	return length > 0 && number >= option->least && number <= option->most;
}

static void refuse(struct options *options, const char *name, size_t name_length, const char *text,
                   size_t length) {
	if (*options->refused)
		return;
	memcpy(options->refused, name, name_length < 60 ? name_length : 60);
	strcat(options->refused, "=");
	strncat(options->refused, text, length < 60 ? length : 60);
	strcat(options->refused, " is not known");
}

bool options_set(struct options *options, const char *name, size_t name_length, const char *text, size_t length) {
	for (int i = 0; i < OPTIONS_COUNT; i++) {
		const struct option *option = &options_table[i];
		void *field = (char *)options + option->offset;
		uint64_t value = 0;
		if (!is_word(option->name, name, name_length))
			continue;
		if (option->text_bytes && length < option->text_bytes) {
			memcpy(field, text, length);
			((char *)field)[length] = '\0';
			return true;
		}
		if (option->text_bytes || !(option->words ? read_word : read_number)(option, text, length, &value))
			break;
		*(uint64_t *)field = value;
		return true;
	}
	refuse(options, name, name_length, text, length);
	return false;
}

static void read_short(struct options *options, const char *text) {
	while (*text) {
		size_t name = strcspn(text, "=;"), whole = strcspn(text, ";");
		/* A word without a value is padding. */
		if (name < whole)
			options_set(options, text, name, text + name + 1, whole - name - 1);
		text += whole + (text[whole] == ';');
	}
}

void options_read(struct options *options) {
	for (int i = 0; i < OPTIONS_COUNT; i++) {
		const struct option *option = &options_table[i];
		const char *text = os_environment(option->variable);
		if (text)
			options_set(options, option->name, strlen(option->name), text, strlen(text));
	}
	const char *all = os_environment(OPTIONS_SHORT);
	if (all && !strncmp(all, OPTIONS_SHORT_PREFIX, strlen(OPTIONS_SHORT_PREFIX)))
		read_short(options, all + strlen(OPTIONS_SHORT_PREFIX));
	options->stack_bytes &= ~UINT64_C(15);
	options->site_offset &= ~UINT64_C(15);
}
