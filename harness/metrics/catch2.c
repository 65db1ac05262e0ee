/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The XML of Catch2's reporter, versions 2 and 3: <TestCase name=…>, in it <BenchmarkResults name=… iterations=…>, in it
 * <mean value=…/>, in nanoseconds. A reader of tags is enough: the reporter escapes '<' in attributes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/metrics/formats.h"

/* Appends the character of an entity such as "lt" or "#x0A"; false for an unknown one. */
static bool put_entity(struct ifr_buffer *out, const char *name, size_t length) {
	static const char *const names[] = {"lt", "<", "gt", ">", "amp", "&", "quot", "\"", "apos", "'"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i += 2)
		if (strlen(names[i]) == length && !strncmp(name, names[i], length)) {
			ifr_buffer_puts(out, names[i + 1]);
			return true;
		}
	if (length < 2 || *name != '#')
		return false;
	long code = name[1] == 'x' ? strtol(name + 2, NULL, 16) : strtol(name + 1, NULL, 10);
	ifr_buffer_printf(out, "%c", code > 31 && code < 127 ? (int)code : ' ');
	return true;
}

static char *decode(const char *text, size_t length) {
	struct ifr_buffer out = {0};
	for (size_t i = 0; i < length; i++) {
		const char *end = text[i] == '&' ? memchr(text + i, ';', length - i) : NULL;
		if (end && put_entity(&out, text + i + 1, (size_t)(end - text) - i - 1))
			i = (size_t)(end - text);
		else
			ifr_buffer_append(&out, text + i, 1);
	}
	ifr_buffer_puts(&out, "");
	return ifr_buffer_detach(&out);
}

/* The value of an attribute of the tag at text, which is length bytes long; NULL if it has none. The caller frees. */
static char *attribute(const char *text, size_t length, const char *name) {
	const size_t bytes = strlen(name);
	const char *end = text + length;
	for (const char *c = text; (c = memchr(c, ' ', (size_t)(end - c))); c++) {
		if ((size_t)(end - c) < bytes + 3 || strncmp(c + 1, name, bytes) || c[bytes + 1] != '=' ||
		    c[bytes + 2] != '"')
			continue;
		const char *value = c + bytes + 3, *quote = memchr(value, '"', (size_t)(end - value));
		return quote ? decode(value, (size_t)(quote - value)) : NULL;
	}
	return NULL;
}

static double number(const char *text, size_t length, const char *name) {
	char *value = attribute(text, length, name), *end = value;
	double made = value ? strtod(value, &end) : NAN;
	if (end == value)
		made = NAN;
	free(value);
	return made;
}

struct reader {
	struct ifr_observations *observations;
	char *test, *benchmark; /* the open elements, or NULL */
	double iterations;
};

static void replace_name(char **name, char *with) {
	free(*name);
	*name = with;
}

static void read_tag(struct reader *reader, const char *tag, size_t length) {
	if (ifr_starts_with(tag, "TestCase ")) {
		replace_name(&reader->test, attribute(tag, length, "name"));
	} else if (ifr_starts_with(tag, "BenchmarkResults ")) {
		char *own = attribute(tag, length, "name");
		replace_name(&reader->benchmark, own ? ifr_format("%s/%s", reader->test ? reader->test : "", own) : NULL);
		reader->iterations = fmax(number(tag, length, "iterations") * number(tag, length, "samples"), 0);
		free(own);
	} else if (ifr_starts_with(tag, "mean ") && reader->benchmark) {
		double mean = number(tag, length, "value");
		if (isfinite(mean) && reader->observations->count < IFR_OBSERVATIONS_MOST)
			observations_add_time(reader->observations, reader->benchmark, mean,
			                      isfinite(reader->iterations) ? reader->iterations : 0);
		replace_name(&reader->benchmark, NULL);
	}
}

void catch2_parse(const char *text, struct ifr_observations *observations) {
	struct reader reader = {.observations = observations};
	const char *end;
	/* '>' is not escaped in attributes: a tag ends at a '>' that no quotes enclose. */
	while ((text = strchr(text, '<'))) {
		bool quoted = false;
		for (end = ++text; *end && (quoted || *end != '>') && (quoted || *end != '<'); end++)
			quoted ^= *end == '"';
		read_tag(&reader, text, (size_t)(end - text));
		text = quoted ? text : end;
	}
	free(reader.test);
	free(reader.benchmark);
}
