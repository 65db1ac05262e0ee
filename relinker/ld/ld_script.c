/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linker scripts with an explicit order. The script of the base link gets at the head of each output section that
 * is placed, before its own patterns,
 *
 *     . = . + PADDING;
 *     "FILE:MEMBER"("SECTION")        for each unit, in the order of the placement
 *
 * and at its end ". = MAX(., SIZE);". ld.bfd puts an input section where it matches first, so the patterns that
 * follow only find the sections that are no units. */
#include <inttypes.h>
#include <string.h>

#include "relinker/ld/ld_engine.h"
#include "relinker/ld/names_object.h"

/* Finds the text behind the '{' of an output section; NULL if the script does not have the section. */
static const char *find_body(const char *script, const char *name) {
	size_t length = strlen(name);
	for (const char *at = script; (at = strstr(at, name)); at += length) {
		const char *before = at, *after = at + length;
		while (before > script && (before[-1] == ' ' || before[-1] == '\t'))
			before--;
		if (before > script && before[-1] != '\n')
			continue;
		/* ".text : {", perhaps with an address or a type before the colon. */
		const char *brace = strchr(after, '{'), *colon = strchr(after, ':');
		if (!strchr(" \t\n:", *after) || !colon || !brace || colon > brace ||
		    memchr(after, ';', (size_t)(brace - after)))
			continue;
		return brace + 1;
	}
	return NULL;
}

/* Finds the '}' that closes a body. */
static const char *find_end(const char *body) {
	int depth = 1;
	for (; *body; body++) {
		depth += (*body == '{') - (*body == '}');
		if (!depth)
			return body;
	}
	return NULL;
}

/* Prints a name as a pattern that matches it: "a[1].o" would be a pattern even in quotes, so its special
 * characters stand in brackets. '?' replaces characters that no script can express. */
static void print_name(const char *name, bool as_pattern, struct ifr_buffer *text) {
	for (; *name; name++, as_pattern = false) {
		size_t plain = as_pattern ? 0 : strcspn(name, "\\:\"\n*?[");
		ifr_buffer_append(text, name, plain);
		name += plain;
		if (!*name)
			return;
		if (strchr("\\:\"\n", *name))
			ifr_buffer_puts(text, "?");
		else
			ifr_buffer_printf(text, "[%c]", *name);
	}
}

static void print_unit(const struct unit *unit, uint64_t padding_bytes, struct ifr_buffer *text) {
	if (padding_bytes)
		ifr_buffer_printf(text, "    . = . + %" PRIu64 ";\n", padding_bytes);
	/* ld would open a thin member's plain name once more; a pattern only matches files that are open. */
	ifr_buffer_puts(text, "    \"");
	print_name(unit->file, unit->thin, text);
	if (unit->member) {
		ifr_buffer_puts(text, ":");
		print_name(unit->member, false, text);
	}
	ifr_buffer_puts(text, "\"(\"");
	print_name(unit->section, false, text);
	ifr_buffer_puts(text, "\")\n");
}

static void print_order(const struct units *units, const struct placed_output *placed, struct ifr_buffer *text) {
	ifr_buffer_puts(text, "\n");
	for (size_t i = 0; i < placed->count; i++)
		print_unit(&units->items[placed->order[i].unit], placed->order[i].padding_bytes, text);
}

int ld_script_print(const char *script, const struct units *units, const struct placement *placement,
                    struct ifr_buffer *text, struct ifr_error *err) {
	for (int r = 0; r < OUTPUTS; r++) {
		if (!placement->outputs[r].order)
			continue;
		/* The script has the output sections in the order of the enum, so the rest is still unread. */
		const char *body = find_body(script, output_names[r]), *end = body ? find_end(body) : NULL;
		if (!end)
			return ifr_fail(
				err, IFR_E_ENVIRONMENT,
				"the linker script of this program has no output section %s: its layout cannot be changed",
				output_names[r]);
		ifr_buffer_append(text, script, (size_t)(body - script));
		print_order(units, &placement->outputs[r], text);
		ifr_buffer_append(text, body, (size_t)(end - body));
		ifr_buffer_printf(text, "  . = MAX(., %" PRIu64 ");\n  ", placement->sizes.output_bytes[r]);
		if (r == OUTPUT_TEXT && placement->names)
			ifr_buffer_puts(text, "KEEP(*(" NAMES_OBJECT_SECTION "))\n  ");
		script = end;
	}
	ifr_buffer_puts(text, script);
	return 0;
}
