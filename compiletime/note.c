/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes: their entries, and their text. */
#include "compiletime/note.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ifr_note_facts[IFR_NOTE_FACTS] = {"order", "align",  "loops",      "nops",  "bytes",
                                                    "frame", "checks", "prefetches", "split", "copies"};

void ifr_note_init(struct ifr_note *note) {
	memset(note, 0, sizeof *note);
	ifr_plan_init(&note->plan);
}

void ifr_note_release(struct ifr_note *note) {
	for (size_t i = 0; i < note->entry_count; i++)
		free(note->entries[i].name);
	free(note->entries);
	ifr_plan_release(&note->plan);
	ifr_note_init(note);
}

void ifr_note_set_unit(struct ifr_note *note, const char *path) {
	const char *slash = strrchr(path, '/');
	snprintf(note->unit, sizeof note->unit, "%s", slash ? slash + 1 : path);
	for (char *c = note->unit; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._+-", *c))
			*c = '_';
	if (!*note->unit)
		strcpy(note->unit, "_");
}

/* The last entry if it is that of the entity, or a new one. */
static struct ifr_note_entry *get_entry(struct ifr_note *note, bool variable, const char *name) {
	struct ifr_note_entry *last = note->entry_count ? &note->entries[note->entry_count - 1] : NULL;
	if (last && last->variable == variable && !strcmp(last->name, name))
		return last;
	if (!note->entries || note->entry_count == note->entry_capacity) {
		note->entry_capacity = note->entry_capacity ? 2 * note->entry_capacity : 64;
		note->entries = ifr_realloc(note->entries, note->entry_capacity, sizeof *note->entries);
	}
	last = &note->entries[note->entry_count++];
	*last = (struct ifr_note_entry){.name = ifr_strdup(name), .variable = variable};
	/* In a note's line a blank ends the name. */
	for (char *c = last->name; *c; c++)
		if (isspace((unsigned char)*c))
			*c = '_';
	return last;
}

static void update_sums(struct ifr_note_counts *did, const struct ifr_note_entry *entry, bool first,
                        enum ifr_note_fact fact, uint64_t amount) {
	if (entry->variable) {
		did->variables += first;
		return;
	}
	did->ordered += fact == IFR_FACT_ORDER;
	did->functions += fact == IFR_FACT_ALIGN;
	did->frames += fact == IFR_FACT_FRAME;
	if (fact == IFR_FACT_NOPS)
		did->nops += amount;
	if (fact == IFR_FACT_LOOPS)
		did->loops += amount;
	if (fact == IFR_FACT_CHECKS)
		did->checks += amount;
	if (fact == IFR_FACT_PREFETCHES)
		did->prefetches += amount;
	if (fact == IFR_FACT_SPLIT)
		did->split += amount;
	if (fact == IFR_FACT_COPIES)
		did->copies += amount;
}

void ifr_note_add_fact(struct ifr_note *note, bool variable, const char *name, enum ifr_note_fact fact,
                       uint64_t amount) {
	size_t before = note->entry_count;
	struct ifr_note_entry *entry = get_entry(note, variable, name);
	entry->fact[fact] += amount;
	update_sums(&note->did, entry, note->entry_count > before, fact, amount);
}

static void print_entry(const struct ifr_note_entry *entry, struct ifr_buffer *text) {
	ifr_buffer_printf(text, "%s %s", entry->variable ? "variable" : "function", entry->name);
	for (int i = 0; i < IFR_NOTE_FACTS; i++)
		if (entry->fact[i])
			ifr_buffer_printf(text, " %s=%" PRIu64, ifr_note_facts[i], entry->fact[i]);
	ifr_buffer_puts(text, "\n");
}

void ifr_note_print(const struct ifr_note *note, struct ifr_buffer *descriptor) {
	ifr_buffer_printf(descriptor, "interfero-note %d\n", IFR_NOTE_VERSION);
	ifr_buffer_printf(descriptor, "plugin %s\ncompiler %s\n", note->plugin, note->compiler);
	ifr_buffer_printf(descriptor, "unit %s\n", note->unit);
	if (*note->template_key)
		ifr_buffer_printf(descriptor, "template %s\n", note->template_key);
	struct ifr_buffer plan = {0};
	ifr_plan_print(&note->plan, &plan);
	/* The note's version implies the plan's format: the plan's first line is left out. */
	const char *axes = strchr(ifr_buffer_text(&plan), '\n');
	ifr_buffer_puts(descriptor, axes ? axes + 1 : "");
	ifr_buffer_release(&plan);
	for (size_t i = 0; i < note->entry_count; i++)
		print_entry(&note->entries[i], descriptor);
	const struct ifr_note_counts *did = &note->did;
	ifr_buffer_printf(descriptor,
	                  "did ordered=%" PRIu64 " nops=%" PRIu64 " functions=%" PRIu64 " loops=%" PRIu64
	                  " frames=%" PRIu64 " variables=%" PRIu64,
	                  did->ordered, did->nops, did->functions, did->loops, did->frames, did->variables);
	if (did->checks)
		ifr_buffer_printf(descriptor, " checks=%" PRIu64, did->checks);
	if (did->prefetches)
		ifr_buffer_printf(descriptor, " prefetches=%" PRIu64, did->prefetches);
	if (did->split)
		ifr_buffer_printf(descriptor, " split=%" PRIu64, did->split);
	if (did->copies)
		ifr_buffer_printf(descriptor, " copies=%" PRIu64, did->copies);
	ifr_buffer_puts(descriptor, "\n");
}

/* Prints a line as a string of the assembler, with octal escapes. */
static void print_line(const char *line, size_t length, struct ifr_buffer *assembly) {
	ifr_buffer_puts(assembly, "\t.ascii \"");
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)line[i];
		if (c == '"' || c == '\\' || c < ' ' || c > '~')
			ifr_buffer_printf(assembly, "\\%03o", c);
		else
			ifr_buffer_append(assembly, &line[i], 1);
	}
	ifr_buffer_puts(assembly, "\\n\"\n");
}

void ifr_note_print_assembly(const struct ifr_note *note, struct ifr_buffer *assembly) {
	struct ifr_buffer text = {0};
	ifr_note_print(note, &text);
	ifr_buffer_printf(assembly, "\t.section %s,\"\",@note\n\t.p2align 2\n", IFR_NOTE_SECTION);
	ifr_buffer_printf(assembly, "\t.long %zu, %zu, %d\n", sizeof IFR_NOTE_OWNER, text.length, IFR_NOTE_TYPE);
	ifr_buffer_printf(assembly, "\t.asciz \"%s\"\n\t.p2align 2\n", IFR_NOTE_OWNER);
	for (const char *line = ifr_buffer_text(&text); *line;) {
		size_t length = strcspn(line, "\n");
		print_line(line, length, assembly);
		line += length + 1;
	}
	ifr_buffer_puts(assembly, "\t.p2align 2\n");
	ifr_buffer_release(&text);
}
