/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes .note.interfero at the end of each unit (compiletime/note.h). */
#include <inttypes.h>

#include "plugin/gcc.h"

#include "plugin/passes.h"

/* A part of an LTO link has no source: its number comes from its temporary file, a random name and ".ltransN". */
static void name_unit(struct ifr_note *note) {
	const char *input = main_input_filename ? main_input_filename : "";
	const char *part = in_lto_p ? strstr(input, ".ltrans") : NULL;
	char name[32];
	snprintf(name, sizeof name, "ltrans%lu", part ? strtoul(part + strlen(".ltrans"), NULL, 10) : 0);
	ifr_note_set_unit(note, in_lto_p ? name : input);
}

/* False if GCC writes no assembly, only checks the syntax, or keeps bodies for the link alone. */
static bool code_written_p() {
	return asm_out_file && !flag_syntax_only && !flag_wpa && !(flag_generate_lto && !flag_fat_lto_objects);
}

/* Writes the facts of variables as marks, and those of functions whose names do not fit a mark in front of them. */
static void write_entries(const struct ifr_note *note, struct ifr_buffer *text) {
	for (size_t i = 0; i < note->entry_count; i++)
		for (int fact = 0; fact < IFR_NOTE_FACTS; fact++)
			if (note->entries[i].fact[fact])
				ifr_buffer_printf(text, IFR_MARK_DID " %c %s %s %" PRIu64 "\n",
				                  note->entries[i].variable ? 'v' : 'f', note->entries[i].name,
				                  ifr_note_facts[fact], note->entries[i].fact[fact]);
}

void ifr_record_fact(struct ifr_unit *unit, tree decl, enum ifr_note_fact fact, uint64_t amount) {
	const char *name = gcc_assembler_name(decl);
	/* GCC writes nothing between this point and the function's assembly. */
	if (unit->template_wanted && !strpbrk(name, " \t"))
		fprintf(asm_out_file, IFR_MARK_DID " f %s %s %" PRIu64 "\n", name, ifr_note_facts[fact], amount);
	else
		ifr_note_add_fact(&unit->note, false, name, fact, amount);
}

/* A warning would end a build under -Werror, and is not seen under -w, as which units are compiled again. */
void ifr_tell_unchanged(location_t line, enum ifr_axis axis, const char *thing, const char *why) {
	static const char form[] = "interfero: %s leaves this %s as it is: %s";
	if (warnings_are_errors || inhibit_warnings)
		inform(line, form, ifr_axes[axis].name, thing, why);
	else
		warning_at(line, 0, form, ifr_axes[axis].name, thing, why);
}

static void write_template_end(const struct ifr_unit *unit, struct ifr_buffer *text) {
	const struct ifr_note *note = &unit->note;
	write_entries(note, text);
	ifr_template_print_plan(&note->plan, text);
	if (unit->recipe)
		ifr_buffer_printf(text, IFR_MARK_RECIPE " %s\n", unit->recipe);
	ifr_buffer_printf(text, IFR_MARK_UNIT " %s\n" IFR_MARK_COMPILER " %s\n" IFR_MARK_PLUGIN " %s\n", note->unit,
	                  note->compiler, note->plugin);
	ifr_buffer_printf(text, IFR_MARK_NOTE " %d\n", IFR_TEMPLATE_VERSION);
}

static void write_note(void *, void *data) {
	struct ifr_unit *unit = (struct ifr_unit *)data;
	struct ifr_buffer text = {};
	if (!code_written_p())
		return;
	name_unit(&unit->note);
	if (unit->template_wanted)
		write_template_end(unit, &text);
	else
		ifr_note_print_assembly(&unit->note, &text);
	fputs(ifr_buffer_text(&text), asm_out_file);
	in_section = NULL; /* the text changed the section behind GCC's back */
	ifr_buffer_release(&text);
}

void ifr_provenance_register(struct ifr_unit *unit) {
	register_callback("interfero", PLUGIN_FINISH_UNIT, write_note, unit);
}
