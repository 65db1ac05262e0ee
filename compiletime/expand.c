/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compiletime/expand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"

enum { OFF_MAX = 256 };

/* The assembler name: the first of the names. */
static const char *name_of(const struct ifr_entity *entity, struct ifr_buffer *name) {
	const char *names = ifr_buffer_text(&entity->names);
	ifr_buffer_clear(name);
	ifr_buffer_append(name, names, strcspn(names, "\t"));
	return ifr_buffer_text(name);
}

static void add_fact(struct expansion *expansion, enum ifr_note_fact fact, uint64_t amount) {
	struct ifr_buffer name = {0};
	ifr_note_add_fact(expansion->note, false, name_of(&expansion->function, &name), fact, amount);
	ifr_buffer_release(&name);
}

/* Fills an entity from the names behind the first tab of a mark. */
static void read_names(struct ifr_entity *entity, const char *words) {
	const char *tab = strchr(words, '\t');
	struct ifr_strings names = {0};
	ifr_strings_split(&names, tab ? tab + 1 : "", "\t");
	ifr_entity_begin(entity, names.count ? names.items[0] : "");
	for (size_t i = 1; i < names.count; i++)
		ifr_entity_add_name(entity, names.items[i]);
	ifr_strings_release(&names);
}

static int read_order(struct expansion *expansion, const char *words, struct ifr_error *err) {
	char kind, off[OFF_MAX];
	struct ifr_entity entity = {0};
	struct ifr_buffer name = {0};
	if (sscanf(words, " %c %255s", &kind, off) != 2)
		return ifr_fail(err, IFR_E_USAGE, "not a template: the mark \"order\" is damaged");
	read_names(&entity, words);
	int result = ifr_axes_parse(off, &entity.exempt_axes, err);
	if (!result && ifr_decide_covers(expansion->plan, IFR_AXIS_UNIT_ORDER, &entity)) {
		static char own_section;
		ifr_order_add(&expansion->order, expansion->plan->axis[IFR_AXIS_UNIT_ORDER].seed, name_of(&entity, &name),
		              kind == 's' ? &own_section : NULL);
	}
	ifr_entity_release(&entity);
	ifr_buffer_release(&name);
	return result;
}

/* Names the functions' own sections by the directive that GCC writes under -ffunction-sections. */
static void name_sections(struct expansion *expansion) {
	ifr_order_sort(&expansion->order);
	for (size_t i = 0; i < expansion->order.count; i++)
		if (expansion->order.entries[i].data)
			ifr_buffer_printf(expansion->out, "\t.section\t.text.%s,\"ax\",@progbits\n",
			                  expansion->order.entries[i].name);
}

static void place_function(struct expansion *expansion, char kind) {
	struct ifr_buffer name = {0};
	const struct ifr_order *order = &expansion->order;
	expansion->subsection = 0;
	if (kind != '-' && ifr_decide_covers(expansion->plan, IFR_AXIS_UNIT_ORDER, &expansion->function)) {
		size_t at = ifr_order_position(order, expansion->plan->axis[IFR_AXIS_UNIT_ORDER].seed,
		                               name_of(&expansion->function, &name));
		if (kind == 't')
			expansion->subsection = ifr_order_subsection(order, at);
		add_fact(expansion, IFR_FACT_ORDER, at + 1);
	}
	ifr_buffer_release(&name);
}

int expand_function(struct expansion *expansion, const char *words, struct ifr_error *err) {
	char kind, off[OFF_MAX];
	unsigned cold, least;
	if (sscanf(words, " %c %255s %u %u", &kind, off, &cold, &least) != 4 || !least || least & (least - 1))
		return ifr_fail(err, IFR_E_USAGE, "not a template: the mark \"function\" is damaged");
	read_names(&expansion->function, words);
	int result = ifr_axes_parse(off, &expansion->function.exempt_axes, err);
	if (result)
		return result;
	expansion->function.cold = cold;
	expansion->least_bytes = least;
	expansion->next_nop = expansion->next_loop = 0;
	expansion->covers_nops = ifr_decide_covers(expansion->plan, IFR_AXIS_NOPS, &expansion->function);
	expansion->covers_loops = ifr_decide_covers(expansion->plan, IFR_AXIS_ALIGN, &expansion->function);
	place_function(expansion, kind);
	return 0;
}

static void align_function(struct expansion *expansion) {
	unsigned bytes = ifr_decide_align_function(expansion->plan, &expansion->function, expansion->least_bytes);
	if (bytes) {
		ifr_buffer_printf(expansion->out, IFR_ALIGN_FUNCTION "\n", bytes);
		add_fact(expansion, IFR_FACT_ALIGN, bytes);
	}
}

static void put_nops(struct expansion *expansion, bool cold) {
	unsigned ordinal = expansion->next_nop++;
	const struct ifr_plan *plan = expansion->plan;
	if (!expansion->covers_nops || !ifr_decide_hotness(plan, IFR_AXIS_NOPS, cold))
		return;
	unsigned bytes =
		ifr_decide_nops_bytes(&plan->axis[IFR_AXIS_NOPS], ifr_buffer_text(&expansion->function.key), ordinal);
	if (bytes) {
		ifr_buffer_printf(expansion->out, "\t" IFR_PUT_NOPS "\n", bytes);
		add_fact(expansion, IFR_FACT_NOPS, 1);
		add_fact(expansion, IFR_FACT_BYTES, bytes);
	}
}

static void align_loop(struct expansion *expansion, bool cold) {
	unsigned ordinal = expansion->next_loop++;
	const struct ifr_plan *plan = expansion->plan;
	if (!expansion->covers_loops || !ifr_decide_hotness(plan, IFR_AXIS_ALIGN, cold))
		return;
	unsigned bytes = ifr_decide_loop_alignment_bytes(&plan->axis[IFR_AXIS_ALIGN],
	                                                 ifr_buffer_text(&expansion->function.key), ordinal);
	if (bytes > 1) {
		ifr_buffer_printf(expansion->out, "\t" IFR_ALIGN_LOOP "\n", __builtin_ctz(bytes));
		add_fact(expansion, IFR_FACT_LOOPS, 1);
	}
}

static void put_text(struct expansion *expansion, bool rest) {
	unsigned number = rest ? IFR_SUBSECTION_LAST : expansion->subsection;
	bool moves = expansion->plan->axis[IFR_AXIS_UNIT_ORDER].on;
	if (moves && number)
		ifr_buffer_printf(expansion->out, "\t.text %u\n", number);
	else
		ifr_buffer_puts(expansion->out, "\t.text\n");
}

static int read_word(char *field, size_t size, const char *words, struct ifr_error *err) {
	if (*words != ' ' || !words[1] || strlen(words + 1) >= size)
		return ifr_fail(err, IFR_E_USAGE, "not a template: a mark's word is missing or too long");
	strcpy(field, words + 1);
	return 0;
}

/* "f lua_gettop frame 64": a fact for the note about a change that is compiled in. */
static int read_did(struct expansion *expansion, const char *words, struct ifr_error *err) {
	struct ifr_strings parts = {0};
	int fact = 0;
	ifr_strings_split(&parts, words, " ");
	while (parts.count == 4 && fact < IFR_NOTE_FACTS && strcmp(parts.items[2], ifr_note_facts[fact]))
		fact++;
	int result = parts.count == 4 && fact < IFR_NOTE_FACTS
	                 ? 0
	                 : ifr_fail(err, IFR_E_USAGE, "not a template: the mark \"did\" is damaged");
	if (!result)
		ifr_note_add_fact(expansion->note, *parts.items[0] == 'v', parts.items[1], (enum ifr_note_fact)fact,
		                  strtoull(parts.items[3], NULL, 10));
	ifr_strings_release(&parts);
	return result;
}

static int print_note(struct expansion *expansion, const char *words, struct ifr_error *err) {
	int version = atoi(words);
	if (version != IFR_TEMPLATE_VERSION)
		return ifr_fail(err, IFR_E_USAGE,
		                "a template of version %d is not known here (this interfero reads version %d): compile "
		                "again",
		                version, IFR_TEMPLATE_VERSION);
	ifr_note_print_assembly(expansion->note, expansion->out);
	expansion->whole = true;
	return 0;
}

bool is_mark(const char *line, const char *mark, const char **words) {
	size_t length = strlen(mark);
	*words = line + length;
	return !strncmp(line, mark, length) && (!line[length] || line[length] == ' ');
}

int expand_mark(struct expansion *expansion, const char *line, struct ifr_error *err) {
	const char *words;
	struct ifr_note *note = expansion->note;
	if (is_mark(line, IFR_MARK_NOP, &words) || is_mark(line, IFR_MARK_NOP "-cold", &words))
		put_nops(expansion, words - line > (ptrdiff_t)strlen(IFR_MARK_NOP));
	else if (is_mark(line, IFR_MARK_LOOP, &words) || is_mark(line, IFR_MARK_LOOP "-cold", &words))
		align_loop(expansion, words - line > (ptrdiff_t)strlen(IFR_MARK_LOOP));
	else if (is_mark(line, IFR_MARK_FUNCTION, &words))
		return expand_function(expansion, words, err);
	else if (is_mark(line, IFR_MARK_ALIGN, &words))
		align_function(expansion);
	else if (is_mark(line, IFR_MARK_HERE, &words) || is_mark(line, IFR_MARK_REST, &words))
		put_text(expansion, !strncmp(line, IFR_MARK_REST, strlen(IFR_MARK_REST)));
	else if (is_mark(line, IFR_MARK_SECTIONS, &words))
		name_sections(expansion);
	else if (is_mark(line, IFR_MARK_ORDER, &words))
		return read_order(expansion, words, err);
	else if (is_mark(line, IFR_MARK_UNIT, &words))
		return read_word(note->unit, sizeof note->unit, words, err);
	else if (is_mark(line, IFR_MARK_COMPILER, &words))
		return read_word(note->compiler, sizeof note->compiler, words, err);
	else if (is_mark(line, IFR_MARK_PLUGIN, &words))
		return read_word(note->plugin, sizeof note->plugin, words, err);
	else if (is_mark(line, IFR_MARK_DID, &words))
		return read_did(expansion, words, err);
	else if (is_mark(line, IFR_MARK_NOTE, &words))
		return print_note(expansion, words, err);
	else if (!is_mark(line, IFR_MARK_PLAN, &words) && !is_mark(line, IFR_MARK_ARGUMENT, &words) &&
	         !is_mark(line, IFR_MARK_ENTRY, &words) && !is_mark(line, IFR_MARK_RECIPE, &words))
		return ifr_fail(err, IFR_E_USAGE, "not a template: the mark \"%.40s\" is not known", line);
	return 0;
}
