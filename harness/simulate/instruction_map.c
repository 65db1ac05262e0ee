/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/instruction_map.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/code/code.h"
#include "compiletime/compiletime.h"

/* The addresses of an input section in the shipped program and in the layout. */
struct section_move {
	uint64_t from, to;
	bool linked; /* false: the linker left it out */
};

/* An input section of the program with code. */
struct code_section {
	char *input;                  /* path below the kit's root, as in units */
	const char *member, *section; /* member is "" outside an archive */
	uint64_t bytes;
	struct section_move move;
};

struct pairing {
	const struct ifr_builder *builder;
	struct code_section *inputs;
	size_t input_count;
	struct ifr_instruction_move *instructions;
	size_t count, room;
	/* of the unit in progress */
	const struct ifr_variant_unit *unit;
	struct ifr_object_file shipped, rebuilt;
	struct section_move *sections; /* by section of shipped */
	size_t *first;                 /* by function of shipped: its first instruction */
};

static int fail_unpaired(const struct pairing *pairing, const char *what, const char *name,
                         struct ifr_error *err) {
	const struct ifr_variant_unit *unit = pairing->unit;
	return ifr_fail(
		err, IFR_E_ENVIRONMENT,
		"%s%s%s: %s %s cannot be followed into this layout; record the variant itself (interfero record "
		"--plan)",
		ifr_path_base(unit->input), *unit->member ? ":" : "", unit->member, what, name);
}

/* --- sections ------------------------------------------------------------------------------------------------ */

static int by_section(const void *a, const void *b) {
	const struct code_section *x = a, *y = b;
	int order = strcmp(x->input, y->input);
	if (!order)
		order = strcmp(x->member, y->member);
	return order ? order : strcmp(x->section, y->section);
}

static int by_from(const void *key, const void *item) {
	uint64_t address = *(const uint64_t *)key;
	const struct ifr_relinker_move *move = item;
	return address < move->from ? -1 : address >= move->from + move->bytes;
}

/* Lists the program's sections under the paths that units have: below the kit's root, where the linker opened
 * them. */
static void list_sections(struct pairing *pairing, const struct ifr_relinker_move *moves, size_t move_count) {
	const struct ifr_relinker *relinker = ifr_builder_relinker(pairing->builder);
	const struct ifr_kit *kit = ifr_builder_kit(pairing->builder);
	char *root = ifr_format("%s/root", kit->dir), *folder = ifr_format("%s%s", root, kit->cwd);
	const size_t count = ifr_relinker_unit_count(relinker);
	pairing->inputs = ifr_alloc((count + 1) * sizeof *pairing->inputs);
	for (size_t i = 0; i < count; i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		const struct ifr_relinker_move *move = bsearch(&unit.address, moves, move_count, sizeof *moves, by_from);
		char *opened = move ? ifr_path_normalise(folder, unit.file) : NULL;
		if (opened && ifr_starts_with(opened, root))
			pairing->inputs[pairing->input_count++] =
				(struct code_section){ifr_strdup(opened + strlen(root)),
			                          unit.member ? unit.member : "",
			                          unit.section,
			                          unit.bytes,
			                          {unit.address, unit.address - move->from + move->to, true}};
		free(opened);
	}
	qsort(pairing->inputs, pairing->input_count, sizeof *pairing->inputs, by_section);
	free(folder);
	free(root);
}

static int place_sections(struct pairing *pairing, struct ifr_error *err) {
	for (size_t i = 0; i < pairing->shipped.section_count; i++) {
		const struct ifr_section *section = &pairing->shipped.sections[i];
		if (!(section->flags & SHF_EXECINSTR))
			continue;
		const struct code_section wanted = {
			.input = (char *)pairing->unit->input, .member = pairing->unit->member, .section = section->name};
		const struct code_section *found =
			bsearch(&wanted, pairing->inputs, pairing->input_count, sizeof wanted, by_section);
		if (found && found->bytes != section->length)
			return fail_unpaired(pairing, "the section", section->name, err);
		if (found)
			pairing->sections[i] = found->move;
	}
	return 0;
}

/* --- functions ----------------------------------------------------------------------------------------------- */

static void add_instructions(struct pairing *pairing, const struct ifr_function *a, const struct ifr_function *b) {
	const struct ifr_section *section = &pairing->rebuilt.sections[b->section];
	const struct section_move *move = &pairing->sections[a->section];
	uint64_t end = b->start;
	for (size_t i = 0; i < a->count; i++) {
		const struct ifr_instruction *instruction = &b->items[i];
		const int nops = ifr_section_count_nops(section, end, instruction->at);
		pairing->instructions[pairing->count++] =
			(struct ifr_instruction_move){.from = move->from + a->items[i].at,
		                                  .to = move->to + instruction->at,
		                                  .fall_through = move->to + end,
		                                  .jump_target = move->to + end,
		                                  .fall_through_nops = (uint16_t)nops,
		                                  .jump_nops = (uint16_t)nops,
		                                  .bytes = instruction->length};
		end = instruction->at + instruction->length;
	}
}

static int pair_functions(struct pairing *pairing, struct ifr_error *err) {
	const struct ifr_object_file *shipped = &pairing->shipped;
	size_t from = 0;
	pairing->first = ifr_alloc((shipped->function_count + 1) * sizeof *pairing->first);
	for (size_t i = 0; i < shipped->function_count; i++) {
		const struct ifr_function *a = &shipped->functions[i],
								  *b = ifr_object_file_next_function(&pairing->rebuilt, a->name, &from);
		if (!b || a->count != b->count)
			return fail_unpaired(pairing, "the function", a->name, err);
		pairing->first[i] = pairing->count;
		if (!pairing->sections[a->section].linked)
			continue;
		if (pairing->count + a->count > pairing->room) {
			pairing->room = 2 * (pairing->room + a->count);
			pairing->instructions =
				ifr_realloc(pairing->instructions, pairing->room, sizeof *pairing->instructions);
		}
		add_instructions(pairing, a, b);
	}
	return 0;
}

/* Checks that only nops lie between functions: the map has no entries for other code. */
static int check_gaps(const struct pairing *pairing, struct ifr_error *err) {
	const struct ifr_object_file *shipped = &pairing->shipped;
	for (size_t i = 0, next = 0; i < shipped->section_count; i++) {
		uint64_t at = 0;
		if (!pairing->sections[i].linked)
			continue;
		while (next < shipped->function_count && shipped->functions[next].section < i)
			next++;
		for (; next < shipped->function_count && shipped->functions[next].section == i; next++) {
			const struct ifr_function *function = &shipped->functions[next];
			if (function->start > at && ifr_section_count_nops(&shipped->sections[i], at, function->start) < 0)
				return fail_unpaired(pairing, "what is in no function of", shipped->sections[i].name, err);
			at = function->end > at ? function->end : at;
		}
		if (ifr_section_count_nops(&shipped->sections[i], at, shipped->sections[i].length) < 0)
			return fail_unpaired(pairing, "what is in no function of", shipped->sections[i].name, err);
	}
	return 0;
}

/* --- labels -------------------------------------------------------------------------------------------------- */

struct label {
	size_t section;
	uint64_t at;
};

static const struct ifr_section *labels_of(const struct ifr_object_file *object) {
	for (size_t i = 0; i < object->section_count; i++)
		if (object->sections[i].name && !strcmp(object->sections[i].name, IFR_LABELS_SECTION))
			return &object->sections[i];
	return NULL;
}

static struct label label_at(const struct ifr_object_file *object, const GElf_Rela *relocation) {
	const GElf_Sym *symbol = &object->symbols[GELF_R_SYM(relocation->r_info)];
	return (struct label){symbol->st_shndx, symbol->st_value + (uint64_t)relocation->r_addend};
}

/* Sets the jump target of the instruction at a label: the label's offset, which may lie before inserted nops.
 * Returns false if the labels mark different instructions. */
static bool pair_label(struct pairing *pairing, struct label left, struct label right) {
	const struct ifr_function *a = ifr_object_file_function_at(&pairing->shipped, left.section, left.at);
	const struct ifr_function *b = ifr_object_file_function_at(&pairing->rebuilt, right.section, right.at);
	if (!a || !pairing->sections[a->section].linked) /* a jump table, or code that is not in the program */
		return true;
	const size_t index = ifr_function_index(a, left.at);
	if (!b || strcmp(a->name, b->name) != 0 || ifr_function_index(b, right.at) != index)
		return false;
	if (index == a->count) /* nothing executes behind its end */
		return true;
	struct ifr_instruction_move *instruction =
		&pairing->instructions[pairing->first[a - pairing->shipped.functions] + index];
	const int nops = ifr_section_count_nops(&pairing->rebuilt.sections[b->section], right.at, b->items[index].at);
	instruction->jump_target = pairing->sections[a->section].to + right.at;
	instruction->jump_nops = (uint16_t)nops;
	return nops >= 0;
}

static int pair_labels(struct pairing *pairing, struct ifr_error *err) {
	const struct ifr_section *a = labels_of(&pairing->shipped), *b = labels_of(&pairing->rebuilt);
	if (!a || !b || a->relocation_count != b->relocation_count)
		return fail_unpaired(pairing, "the labels of", "this unit", err);
	for (size_t i = 0; i < a->relocation_count; i++) {
		const struct label left = label_at(&pairing->shipped, &a->relocations[i]),
						   right = label_at(&pairing->rebuilt, &b->relocations[i]);
		if (!pair_label(pairing, left, right))
			return fail_unpaired(pairing, "a label of", pairing->shipped.sections[left.section].name, err);
	}
	return 0;
}

/* --- units --------------------------------------------------------------------------------------------------- */

static int pair_unit(struct pairing *pairing, const struct ifr_variant_unit *unit, struct ifr_error *err) {
	const char *name = *unit->member ? unit->member : unit->input;
	pairing->unit = unit;
	pairing->rebuilt = (struct ifr_object_file){0};
	int result = ifr_object_file_open(&pairing->shipped, unit->shipped, name, err);
	if (!result)
		result = ifr_object_file_open(&pairing->rebuilt, &unit->rebuilt, name, err);
	pairing->sections = ifr_alloc((pairing->shipped.section_count + 1) * sizeof *pairing->sections);
	if (!result)
		result = place_sections(pairing, err);
	if (!result)
		result = pair_functions(pairing, err);
	if (!result)
		result = check_gaps(pairing, err);
	if (!result)
		result = pair_labels(pairing, err);
	free(pairing->sections);
	free(pairing->first);
	pairing->first = NULL;
	ifr_object_file_close(&pairing->shipped);
	ifr_object_file_close(&pairing->rebuilt);
	return result;
}

static int by_original_address(const void *a, const void *b) {
	const struct ifr_instruction_move *x = a, *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

int ifr_instruction_map_find(const struct ifr_builder *builder, const struct ifr_variant_layout *layout,
                             const struct ifr_relinker_move *moves, size_t move_count,
                             struct ifr_instruction_move **instructions, size_t *count, struct ifr_error *err) {
	struct pairing pairing = {.builder = builder};
	int result = 0;
	if (layout->unit_count)
		list_sections(&pairing, moves, move_count);
	for (size_t i = 0; i < layout->unit_count && !result; i++)
		result = pair_unit(&pairing, &layout->units[i], err);
	for (size_t i = 0; i < pairing.input_count; i++)
		free(pairing.inputs[i].input);
	free(pairing.inputs);
	if (result) {
		free(pairing.instructions);
		return result;
	}
	if (pairing.count)
		qsort(pairing.instructions, pairing.count, sizeof *pairing.instructions, by_original_address);
	*instructions = pairing.instructions;
	*count = pairing.count;
	return 0;
}
