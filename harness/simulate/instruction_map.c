/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/instruction_map.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/code/code.h"
#include "compiletime/compiletime.h"

/* Where a section of an object lies in the shipped program, and in the layout. */
struct placed {
	uint64_t from, to;
	bool there; /* else the linker left it out */
};

/* An input section of the program. */
struct code_section {
	char *input;                  /* as a unit of the kit has it */
	const char *member, *section; /* member is "" outside an archive */
	uint64_t bytes;
	struct placed placed;
};

struct pairing {
	const struct ifr_builder *builder;
	struct code_section *all;
	size_t all_count;
	struct ifr_instruction_move *points;
	size_t count, room;
	/* of the unit at hand */
	const struct ifr_variant_unit *unit;
	struct ifr_object_file shipped, made;
	struct placed *sections; /* by section of shipped */
	size_t *first;           /* by function of shipped: its first point */
};

static int not_alike(const struct pairing *pairing, const char *what, const char *name, struct ifr_error *err) {
	const struct ifr_variant_unit *unit = pairing->unit;
	return ifr_fail(
		err, IFR_E_ENVIRONMENT,
		"%s%s%s: %s %s cannot be followed into this layout; record the variant itself (interfero record "
		"--plan)",
		ifr_path_base(unit->input), *unit->member ? ":" : "", unit->member, what, name);
}

/* --- sections --------------------------------------------------------------------------------------------------
 */

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

/* The program's sections, under the names that units of a kit have: linkers open inputs below the kit's root. */
static void list_sections(struct pairing *pairing, const struct ifr_relinker_move *moves, size_t move_count) {
	const struct ifr_relinker *relinker = ifr_builder_relinker(pairing->builder);
	const struct ifr_kit *kit = ifr_builder_kit(pairing->builder);
	char *root = ifr_format("%s/root", kit->dir), *folder = ifr_format("%s%s", root, kit->cwd);
	const size_t count = ifr_relinker_unit_count(relinker);
	pairing->all = ifr_alloc((count + 1) * sizeof *pairing->all);
	for (size_t i = 0; i < count; i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		const struct ifr_relinker_move *move = bsearch(&unit.address, moves, move_count, sizeof *moves, by_from);
		char *opened = move ? ifr_path_normalise(folder, unit.file) : NULL;
		if (opened && ifr_starts_with(opened, root))
			pairing->all[pairing->all_count++] =
				(struct code_section){ifr_strdup(opened + strlen(root)),
			                          unit.member ? unit.member : "",
			                          unit.section,
			                          unit.bytes,
			                          {unit.address, unit.address - move->from + move->to, true}};
		free(opened);
	}
	qsort(pairing->all, pairing->all_count, sizeof *pairing->all, by_section);
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
			bsearch(&wanted, pairing->all, pairing->all_count, sizeof wanted, by_section);
		if (found && found->bytes != section->length)
			return not_alike(pairing, "the section", section->name, err);
		if (found)
			pairing->sections[i] = found->placed;
	}
	return 0;
}

/* --- functions -------------------------------------------------------------------------------------------------
 */

static void add_function(struct pairing *pairing, const struct ifr_function *a, const struct ifr_function *b) {
	const struct ifr_section *section = &pairing->made.sections[b->section];
	const struct placed *placed = &pairing->sections[a->section];
	uint64_t end = b->start;
	for (size_t i = 0; i < a->count; i++) {
		const struct ifr_instruction *instruction = &b->items[i];
		const int nops = ifr_section_count_nops(section, end, instruction->at);
		pairing->points[pairing->count++] = (struct ifr_instruction_move){.from = placed->from + a->items[i].at,
		                                                                  .to = placed->to + instruction->at,
		                                                                  .fall_through = placed->to + end,
		                                                                  .jump_target = placed->to + end,
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
								  *b = ifr_object_file_next_function(&pairing->made, a->name, &from);
		if (!b || a->count != b->count)
			return not_alike(pairing, "the function", a->name, err);
		pairing->first[i] = pairing->count;
		if (!pairing->sections[a->section].there)
			continue;
		if (pairing->count + a->count > pairing->room) {
			pairing->room = 2 * (pairing->room + a->count);
			pairing->points = ifr_realloc(pairing->points, pairing->room, sizeof *pairing->points);
		}
		add_function(pairing, a, b);
	}
	return 0;
}

/* What lies between functions must be nops, which nothing executes. */
static int check_between(const struct pairing *pairing, struct ifr_error *err) {
	const struct ifr_object_file *shipped = &pairing->shipped;
	for (size_t i = 0, next = 0; i < shipped->section_count; i++) {
		uint64_t at = 0;
		if (!pairing->sections[i].there)
			continue;
		while (next < shipped->function_count && shipped->functions[next].section < i)
			next++;
		for (; next < shipped->function_count && shipped->functions[next].section == i; next++) {
			const struct ifr_function *function = &shipped->functions[next];
			if (function->start > at && ifr_section_count_nops(&shipped->sections[i], at, function->start) < 0)
				return not_alike(pairing, "what is in no function of", shipped->sections[i].name, err);
			at = function->end > at ? function->end : at;
		}
		if (ifr_section_count_nops(&shipped->sections[i], at, shipped->sections[i].length) < 0)
			return not_alike(pairing, "what is in no function of", shipped->sections[i].name, err);
	}
	return 0;
}

/* --- labels ----------------------------------------------------------------------------------------------------
 */

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

/* A jump to the label arrives there, wherever nops stand about. */
static bool enter_at(struct pairing *pairing, struct label left, struct label right) {
	const struct ifr_function *a = ifr_object_file_function_at(&pairing->shipped, left.section, left.at);
	const struct ifr_function *b = ifr_object_file_function_at(&pairing->made, right.section, right.at);
	if (!a || !pairing->sections[a->section].there) /* a jump table, or code that is not in the program */
		return true;
	const size_t index = ifr_function_index(a, left.at);
	if (!b || strcmp(a->name, b->name) != 0 || ifr_function_index(b, right.at) != index)
		return false;
	if (index == a->count) /* what is behind its end is not executed */
		return true;
	struct ifr_instruction_move *point = &pairing->points[pairing->first[a - pairing->shipped.functions] + index];
	const int nops = ifr_section_count_nops(&pairing->made.sections[b->section], right.at, b->items[index].at);
	point->jump_target = pairing->sections[a->section].to + right.at;
	point->jump_nops = (uint16_t)nops;
	return nops >= 0;
}

static int pair_labels(struct pairing *pairing, struct ifr_error *err) {
	const struct ifr_section *a = labels_of(&pairing->shipped), *b = labels_of(&pairing->made);
	if (!a || !b || a->relocation_count != b->relocation_count)
		return not_alike(pairing, "the labels of", "this unit", err);
	for (size_t i = 0; i < a->relocation_count; i++) {
		const struct label left = label_at(&pairing->shipped, &a->relocations[i]),
						   right = label_at(&pairing->made, &b->relocations[i]);
		if (!enter_at(pairing, left, right))
			return not_alike(pairing, "a label of", pairing->shipped.sections[left.section].name, err);
	}
	return 0;
}

/* --- units -----------------------------------------------------------------------------------------------------
 */

static int pair_unit(struct pairing *pairing, const struct ifr_variant_unit *unit, struct ifr_error *err) {
	const char *name = *unit->member ? unit->member : unit->input;
	pairing->unit = unit;
	pairing->made = (struct ifr_object_file){0};
	int result = ifr_object_file_open(&pairing->shipped, unit->shipped, name, err);
	if (!result)
		result = ifr_object_file_open(&pairing->made, &unit->rebuilt, name, err);
	pairing->sections = ifr_alloc((pairing->shipped.section_count + 1) * sizeof *pairing->sections);
	if (!result)
		result = place_sections(pairing, err);
	if (!result)
		result = pair_functions(pairing, err);
	if (!result)
		result = check_between(pairing, err);
	if (!result)
		result = pair_labels(pairing, err);
	free(pairing->sections);
	free(pairing->first);
	pairing->first = NULL;
	ifr_object_file_close(&pairing->shipped);
	ifr_object_file_close(&pairing->made);
	return result;
}

static int by_place(const void *a, const void *b) {
	const struct ifr_instruction_move *x = a, *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

int ifr_instruction_map_find(const struct ifr_builder *builder, const struct ifr_variant_layout *layout,
                             const struct ifr_relinker_move *moves, size_t move_count,
                             struct ifr_instruction_move **points, size_t *count, struct ifr_error *err) {
	struct pairing pairing = {.builder = builder};
	int result = 0;
	if (layout->unit_count)
		list_sections(&pairing, moves, move_count);
	for (size_t i = 0; i < layout->unit_count && !result; i++)
		result = pair_unit(&pairing, &layout->units[i], err);
	for (size_t i = 0; i < pairing.all_count; i++)
		free(pairing.all[i].input);
	free(pairing.all);
	if (result) {
		free(pairing.points);
		return result;
	}
	if (pairing.count)
		qsort(pairing.points, pairing.count, sizeof *pairing.points, by_place);
	*points = pairing.points;
	*count = pairing.count;
	return 0;
}
