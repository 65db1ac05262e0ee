/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compiletime/entries.h"

#include <inttypes.h>
#include <string.h>

#include "compiletime/template.h"

#define LEFT "ifr_left"

/* A line of the text, without its end. */
struct line {
	const char *text;
	size_t length;
};

/* Returns the line at *at, which moves to the next line. */
static struct line next_line(const char *text, size_t length, size_t *at) {
	const char *start = text + *at, *newline = memchr(start, '\n', length - *at);
	struct line line = {start, newline ? (size_t)(newline - start) : length - *at};
	*at += line.length + (newline != NULL);
	return line;
}

static bool begins_with(struct line line, const char *beginning) {
	size_t length = strlen(beginning);
	return line.length >= length && !memcmp(line.text, beginning, length);
}

static bool is_entry(struct line line) {
	return line.length == strlen("\t" IFR_MARK_ENTRY) && begins_with(line, "\t" IFR_MARK_ENTRY);
}

/* The assembler name in the mark "function" lies between the first tab and the second. */
static void add_name(struct line function, struct ifr_strings *names) {
	const char *tab = memchr(function.text, '\t', function.length);
	size_t left = tab ? function.length - (size_t)(tab + 1 - function.text) : 0;
	const char *name = tab ? tab + 1 : "", *end = memchr(name, '\t', left);
	ifr_strings_take(names, ifr_format("%.*s", (int)(end ? (size_t)(end - name) : left), name));
}

static void copy_line(struct ifr_buffer *out, struct line line) {
	ifr_buffer_append(out, line.text, line.length);
	ifr_buffer_puts(out, "\n");
}

static int fail_not_a_template(struct ifr_error *err) {
	return ifr_fail(err, IFR_E_USAGE, "not a template, or not a whole one: compile again");
}

/* Puts the counters of all functions in front of the note, in a section of their own. */
static void put_counters(struct ifr_buffer *out, uint64_t first_number, size_t count) {
	if (!count)
		return;
	ifr_buffer_puts(out,
	                "\t.pushsection " IFR_ENTRIES_SECTION ",\"aw\",@progbits\n\t.balign 16\n.Lifr_entries:\n");
	for (size_t i = 0; i < count; i++)
		ifr_buffer_printf(out, "\t.quad 0, %" PRIu64 "\n", first_number + i);
	ifr_buffer_puts(out, "\t.popsection\n");
}

int ifr_entries_add_counters(const char *text, size_t length, uint64_t first_number, struct ifr_buffer *out,
                             struct ifr_strings *names, struct ifr_error *err) {
	struct line function = {"", 0};
	size_t count = 0;
	if (!ifr_template_is_complete(text, length))
		return fail_not_a_template(err);
	for (size_t at = 0; at < length;) {
		struct line line = next_line(text, length, &at);
		if (begins_with(line, IFR_MARK_FUNCTION " "))
			function = line;
		if (begins_with(line, IFR_MARK_NOTE " "))
			put_counters(out, first_number, count);
		if (begins_with(line, LEFT ":"))
			return ifr_fail(err, IFR_E_USAGE,
			                "the program is limited already: limit the one that it was made from");
		copy_line(out, line);
		if (!is_entry(line))
			continue;
		ifr_buffer_printf(out, "\tincq\t.Lifr_entries+%zu(%%rip)\n", count++ * sizeof(struct ifr_entry_counter));
		add_name(function, names);
	}
	return 0;
}

/* Puts the countdown and the code that exits. exit() runs atexit handlers and flushes stdio; it expects an aligned
 * stack, which an entry does not have. */
static void put_exit(struct ifr_buffer *out, uint64_t count) {
	ifr_buffer_printf(out,
	                  "\t.pushsection .data.ifr_left,\"aw\",@progbits\n\t.balign 8\n\t.type\tifr_left, @object\n"
	                  "\t.size\tifr_left, 8\n" LEFT ":\n\t.quad %" PRIu64 "\n\t.popsection\n",
	                  count);
	ifr_buffer_puts(out, "\t.pushsection .text.ifr_end,\"ax\",@progbits\n\t.type\tifr_end, @function\n"
	                     "ifr_end:\n\tandq\t$-16, %rsp\n\txorl\t%edi, %edi\n\tcall\texit@PLT\n\tud2\n"
	                     "\t.size\tifr_end, .-ifr_end\n\t.popsection\n");
}

int ifr_entries_add_exit(const char *text, size_t length, size_t index, uint64_t count, struct ifr_buffer *out,
                         struct ifr_error *err) {
	size_t entries = 0;
	if (!ifr_template_is_complete(text, length))
		return fail_not_a_template(err);
	for (size_t at = 0; at < length;) {
		struct line line = next_line(text, length, &at);
		if (begins_with(line, IFR_MARK_NOTE " ") && entries > index)
			put_exit(out, count);
		copy_line(out, line);
		if (is_entry(line) && entries++ == index)
			ifr_buffer_puts(out, "\tdecq\t" LEFT "(%rip)\n\tje\tifr_end\n");
	}
	return entries > index ? 0 : ifr_fail(err, IFR_E_USAGE, "the template has no entry %zu", index);
}
