/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes .note.interfero at the end of each unit (plugin/note.h). */
#include "plugin/gcc.h"

#include "plugin/passes.h"

/* A link-time part has no source; its temporary file's name, random but for ".ltransN", gives its number. */
static void name_unit(struct ifr_note *note) {
	const char *input = main_input_filename ? main_input_filename : "";
	const char *part = in_lto_p ? strstr(input, ".ltrans") : NULL;
	char name[32];
	snprintf(name, sizeof name, "ltrans%lu", part ? strtoul(part + strlen(".ltrans"), NULL, 10) : 0);
	ifr_note_set_unit(note, in_lto_p ? name : input);
}

static void print_lines(const char *text) {
	while (*text) {
		int length = (int)strcspn(text, "\n");
		fprintf(asm_out_file, "\t.ascii \"%.*s\\n\"\n", length, text);
		text += length + 1;
	}
}

/* Nothing was compiled to code if there is no assembly, only checks, or bodies kept for the link alone. */
static bool code_written_p() {
	return asm_out_file && !flag_syntax_only && !flag_wpa && !(flag_generate_lto && !flag_fat_lto_objects);
}

static void write_note(void *, void *data) {
	struct ifr_note *note = (struct ifr_note *)data;
	if (!code_written_p())
		return;
	name_unit(note);
	struct ifr_buffer text = {};
	ifr_note_print(note, &text);
	fprintf(asm_out_file, "\t.section %s,\"\",@note\n\t.p2align 2\n", IFR_NOTE_SECTION);
	fprintf(asm_out_file, "\t.long %zu, %zu, %d\n", sizeof IFR_NOTE_OWNER, text.length, IFR_NOTE_TYPE);
	fprintf(asm_out_file, "\t.asciz \"%s\"\n\t.p2align 2\n", IFR_NOTE_OWNER);
	print_lines(ifr_buffer_text(&text));
	fprintf(asm_out_file, "\t.p2align 2\n");
	in_section = NULL; /* GCC does not know where it was taken */
	ifr_buffer_release(&text);
}

void ifr_provenance_register(struct ifr_note *note) {
	register_callback("interfero", PLUGIN_FINISH_UNIT, write_note, note);
}
