/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compiletime/prefetches.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/random.h"
#include "common/strings.h"

const char *const ifr_prefetch_contexts[IFR_PREFETCH_CONTEXTS] = {"always", "self", "call"};

static const char head[] = "interfero-prefetch";

uint32_t ifr_prefetch_text(const char *line, size_t length) {
	struct ifr_buffer plain = {0};
	for (size_t i = 0; i < length; i++)
		if (!isspace((unsigned char)line[i]))
			ifr_buffer_append(&plain, &line[i], 1);
	const uint32_t hash = (uint32_t)ifr_siphash(0, 0, ifr_buffer_text(&plain), plain.length);
	ifr_buffer_release(&plain);
	return hash ? hash : 1;
}

size_t ifr_prefetch_name_length(const char *name) {
	const char *dot = *name ? strchr(name + 1, '.') : NULL;
	return dot ? (size_t)(dot - name) : strlen(name);
}

void ifr_prefetches_add(struct ifr_prefetches *prefetches, const struct ifr_prefetch *prefetch) {
	prefetches->items =
		(struct ifr_prefetch *)ifr_realloc(prefetches->items, prefetches->count + 1, sizeof *prefetches->items);
	struct ifr_prefetch *copy = &prefetches->items[prefetches->count++];
	*copy = *prefetch;
	copy->function = ifr_strdup(prefetch->function);
	copy->file = ifr_strdup(prefetch->file);
	copy->caller = prefetch->caller ? ifr_strdup(prefetch->caller) : NULL;
}

static void release_prefetch(struct ifr_prefetch *prefetch) {
	free(prefetch->function);
	free(prefetch->file);
	free(prefetch->caller);
}

void ifr_prefetches_release(struct ifr_prefetches *prefetches) {
	for (size_t i = 0; i < prefetches->count; i++)
		release_prefetch(&prefetches->items[i]);
	free(prefetches->items);
	*prefetches = (struct ifr_prefetches){0};
}

/* --- printing ---------------------------------------------------------------------------------------------------- */

static void print_name(const char *name, struct ifr_buffer *text) {
	for (; *name; name++)
		if ((unsigned char)*name <= ' ' || *name == '%' || *name == 127)
			ifr_buffer_printf(text, "%%%02x", (unsigned char)*name);
		else
			ifr_buffer_append(text, name, 1);
}

void ifr_prefetches_print_head(struct ifr_buffer *text) {
	ifr_buffer_printf(text, "%s %d\n", head, IFR_PREFETCH_VERSION);
}

static void print_number(const char *key, uint64_t number, uint64_t usual, struct ifr_buffer *text) {
	if (number != usual)
		ifr_buffer_printf(text, " %s=%" PRIu64, key, number);
}

void ifr_prefetch_print(const struct ifr_prefetch *prefetch, struct ifr_buffer *text) {
	ifr_buffer_puts(text, "load ");
	print_name(prefetch->function, text);
	ifr_buffer_puts(text, " file=");
	print_name(prefetch->file, text);
	ifr_buffer_printf(text, " line=%u", prefetch->line);
	print_number("column", prefetch->column, 0, text);
	print_number("number", prefetch->number, 1, text);
	if (prefetch->text)
		ifr_buffer_printf(text, " text=%08" PRIx32, prefetch->text);
	ifr_buffer_printf(text, " context=%s", ifr_prefetch_contexts[prefetch->context]);
	print_number("period", prefetch->period, 0, text);
	if (prefetch->caller) {
		ifr_buffer_puts(text, " caller=");
		print_name(prefetch->caller, text);
		ifr_buffer_printf(text, "@%u", prefetch->caller_line);
	}
	ifr_buffer_printf(text, " distance=%u", prefetch->distance);
	if (prefetch->only_in_context)
		ifr_buffer_puts(text, " always=0");
	print_number("references", prefetch->references, 0, text);
	print_number("misses", prefetch->misses, 0, text);
	print_number("gain", prefetch->gain, 0, text);
	ifr_buffer_puts(text, "\n");
}

/* --- parsing ----------------------------------------------------------------------------------------------------- */

static int hex_digit(char c) {
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The name that a word stands for; NULL: none. */
static char *parse_name(const char *word) {
	struct ifr_buffer name = {0};
	bool good = *word;
	for (; *word && good; word++) {
		char c = *word;
		if (c == '%') {
			const int high = hex_digit(word[1]), low = high < 0 ? -1 : hex_digit(word[2]);
			good = low >= 0 && (high || low);
			if (good) {
				c = (char)(high << 4 | low);
				word += 2;
			}
		}
		ifr_buffer_append(&name, &c, 1);
	}
	if (good)
		return ifr_buffer_detach(&name);
	ifr_buffer_release(&name);
	return NULL;
}

static bool parse_number(const char *word, uint64_t least, uint64_t most, uint64_t *number) {
	char *end;
	if (*word < '0' || *word > '9' || strlen(word) > 18)
		return false;
	*number = strtoull(word, &end, 10);
	return !*end && *number >= least && *number <= most;
}

static bool parse_unsigned(const char *word, uint64_t least, uint64_t most, unsigned *number) {
	uint64_t wide = 0;
	const bool good = parse_number(word, least, most, &wide);
	*number = (unsigned)wide;
	return good;
}

static bool parse_text(const char *word, uint32_t *text) {
	char *end;
	if (strlen(word) != 8 || strspn(word, "0123456789abcdef") != 8)
		return false;
	*text = (uint32_t)strtoul(word, &end, 16);
	return *text;
}

static bool parse_context(const char *word, enum ifr_prefetch_context *context) {
	for (unsigned i = 0; i < IFR_PREFETCH_CONTEXTS; i++)
		if (!strcmp(word, ifr_prefetch_contexts[i])) {
			*context = (enum ifr_prefetch_context)i;
			return true;
		}
	return false;
}

static bool parse_caller(const char *word, struct ifr_prefetch *prefetch) {
	const char *at = strrchr(word, '@');
	if (!at || prefetch->caller)
		return false;
	char *name = ifr_format("%.*s", (int)(at - word), word);
	prefetch->caller = parse_name(name);
	free(name);
	return prefetch->caller && parse_unsigned(at + 1, 0, 10000000, &prefetch->caller_line);
}

/* Parses KEY=VALUE. Returns false for another key, or a value out of range. */
static bool parse_word(const char *word, struct ifr_prefetch *prefetch) {
	static const char *const keys[] = {"file",   "line",     "column", "number",     "text",   "context", "period",
	                                   "caller", "distance", "always", "references", "misses", "gain"};
	const char *equal = strchr(word, '=');
	size_t key = 0, keys_count = sizeof keys / sizeof *keys;
	while (equal && key < keys_count &&
	       (strlen(keys[key]) != (size_t)(equal - word) || strncmp(keys[key], word, strlen(keys[key]))))
		key++;
	const char *value = equal ? equal + 1 : "";
	unsigned flag = 0;
	switch (equal ? key : keys_count) {
	case 0:
		return !prefetch->file && (prefetch->file = parse_name(value));
	case 1:
		return parse_unsigned(value, 0, 10000000, &prefetch->line);
	case 2:
		return parse_unsigned(value, 1, 1000000, &prefetch->column);
	case 3:
		return parse_unsigned(value, 1, 1000, &prefetch->number);
	case 4:
		return parse_text(value, &prefetch->text);
	case 5:
		return parse_context(value, &prefetch->context);
	case 6:
		return parse_unsigned(value, 2, IFR_PREFETCH_PERIOD_MOST, &prefetch->period);
	case 7:
		return parse_caller(value, prefetch);
	case 8:
		return parse_unsigned(value, 1, IFR_PREFETCH_DISTANCE_MOST, &prefetch->distance);
	case 9:
		prefetch->only_in_context = parse_unsigned(value, 0, 1, &flag) && !flag;
		return parse_unsigned(value, 0, 1, &flag);
	case 10:
		return parse_number(value, 0, UINT64_MAX, &prefetch->references);
	case 11:
		return parse_number(value, 0, UINT64_MAX, &prefetch->misses);
	case 12:
		return parse_number(value, 0, UINT64_MAX, &prefetch->gain);
	default:
		return false;
	}
}

/* Why a parsed load is not whole, or NULL. */
static const char *find_missing(const struct ifr_prefetch *prefetch) {
	if (!prefetch->file)
		return "file=";
	if ((prefetch->context == IFR_PREFETCH_SELF) != (prefetch->period != 0))
		return "period=, which belongs to context=self";
	if ((prefetch->context == IFR_PREFETCH_CALL) != (prefetch->caller != NULL))
		return "caller=, which belongs to context=call";
	return NULL;
}

static int parse_load(const struct ifr_strings *words, struct ifr_prefetches *prefetches, const char *where,
                      struct ifr_error *err) {
	struct ifr_prefetch prefetch = {0};
	prefetch.number = prefetch.distance = 1;
	int result = 0;
	prefetch.function = words->count > 1 ? parse_name(words->items[1]) : NULL;
	if (strcmp(words->items[0], "load") || !prefetch.function)
		result = ifr_fail(err, IFR_E_USAGE, "%s: a line is \"load FUNCTION file=NAME line=NUMBER …\"", where);
	for (size_t i = 2; i < words->count && !result; i++)
		if (!parse_word(words->items[i], &prefetch))
			result = ifr_fail(err, IFR_E_USAGE, "%s: the word is not known, or its value out of range: %.40s",
			                  where, words->items[i]);
	const char *missing = result ? NULL : find_missing(&prefetch);
	if (missing)
		result = ifr_fail(err, IFR_E_USAGE, "%s: the load has no %s, or it has it in vain", where, missing);
	if (!result && prefetches->count == IFR_PREFETCH_LOADS_MOST)
		result = ifr_fail(err, IFR_E_USAGE, "%s: more than %d loads", where, IFR_PREFETCH_LOADS_MOST);
	if (!result)
		ifr_prefetches_add(prefetches, &prefetch);
	release_prefetch(&prefetch);
	return result;
}

static int parse_line(const char *line, size_t length, const char *name, size_t number,
                      struct ifr_prefetches *prefetches, struct ifr_error *err) {
	char *where = ifr_format("%.200s:%zu", name, number), *copy = ifr_format("%.*s", (int)length, line);
	char *expected = ifr_format("%s %d", head, IFR_PREFETCH_VERSION);
	struct ifr_strings words = {0};
	int result = 0;
	for (char *c = copy; *c; c++)
		if ((unsigned char)*c < ' ' && *c != '\t')
			*c = '?';
	if (strlen(copy) != length)
		result = ifr_fail(err, IFR_E_USAGE, "%s: a NUL in the line", where);
	else if (number == 1 && strcmp(copy, expected))
		result = ifr_fail(err, IFR_E_USAGE, "%s: no prefetches of version %d: the first line is not \"%s\"", where,
		                  IFR_PREFETCH_VERSION, expected);
	else if (number > 1 && *copy != '#')
		ifr_strings_split(&words, copy, " \t");
	if (!result && words.count)
		result = parse_load(&words, prefetches, where, err);
	ifr_strings_release(&words);
	free(expected);
	free(copy);
	free(where);
	return result;
}

int ifr_prefetches_parse(const char *text, size_t length, const char *name, struct ifr_prefetches *prefetches,
                         struct ifr_error *err) {
	size_t number = 0, at = 0;
	int result = 0;
	do {
		const char *end = at < length ? (const char *)memchr(text + at, '\n', length - at) : NULL;
		const size_t bytes = end ? (size_t)(end - (text + at)) : length - at;
		result = parse_line(text + at, bytes, name, ++number, prefetches, err);
		at += bytes + 1;
	} while (!result && at < length);
	return result;
}

int ifr_prefetches_read(const char *path, struct ifr_prefetches *prefetches, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	int result = ifr_file_read_named(path, IFR_PREFETCH_FILE_MOST, &text, err);
	if (!result)
		result = ifr_prefetches_parse(ifr_buffer_text(&text), text.length, path, prefetches, err);
	ifr_buffer_release(&text);
	return result;
}
