/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/core/instruction_table.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

static void add_group(struct ifr_instruction_table *table, char **at) {
	struct ifr_port_group group = {.ports = (uint16_t)strtoul(*at, at, 16), .count = 1, .occupancy = 1};
	for (; strchr("*/!:", **at) && **at;) {
		const char sign = **at;
		const unsigned long number = strtoul(*at + 1, at, 10);
		*(sign == '*'   ? &group.count
		  : sign == '/' ? &group.occupancy
		  : sign == '!' ? &group.divider
		                : &group.latency) = (uint8_t)(number < UINT8_MAX ? number : UINT8_MAX);
	}
	table->groups = ifr_realloc(table->groups, table->group_count + 1, sizeof *table->groups);
	table->groups[table->group_count++] = group;
}

static const char *find_cell(const char *line, unsigned column) {
	for (; column; column--)
		line += strcspn(line, "|") + 1;
	return line;
}

static void add_row(struct ifr_instruction_table *table, const char *cell, bool measured) {
	struct ifr_instruction_row row = {
		.first_group = table->group_count, .known = *cell != '?', .measured = measured};
	char *at = NULL;
	const unsigned long latency = row.known ? strtoul(cell, &at, 10) : 0;
	row.latency = (uint8_t)(latency < UINT8_MAX ? latency : UINT8_MAX);
	while (row.known && *at == ' ')
		at++, add_group(table, &at);
	row.groups = (uint8_t)(table->group_count - row.first_group);
	table->rows = ifr_realloc(table->rows, table->row_count + 1, sizeof *table->rows);
	table->rows[table->row_count++] = row;
}

/* Mnemonics by name: both Zydis and the table have them in the order of the alphabet. */
static ZydisMnemonic find_mnemonic(const char *name, size_t length, ZydisMnemonic last) {
	const unsigned all = ZYDIS_MNEMONIC_MAX_VALUE + 1;
	for (unsigned i = 1; i <= all; i++) {
		const ZydisMnemonic mnemonic = (ZydisMnemonic)((last + i) % all);
		const char *other = ZydisMnemonicGetString(mnemonic);
		if (!strncmp(other, name, length) && !other[length])
			return mnemonic;
	}
	return ZYDIS_MNEMONIC_INVALID;
}

/* Adds the forms of a line; returns their mnemonic, `last` if this Zydis does not know it. */
static ZydisMnemonic add_forms(struct ifr_instruction_table *table, const char *line, ZydisMnemonic last) {
	size_t length = strcspn(line, " \n");
	const ZydisMnemonic mnemonic = find_mnemonic(line, length, last);
	uint32_t row = 0;
	if (mnemonic == ZYDIS_MNEMONIC_INVALID)
		return last;
	for (line += length; *line == ' '; line += length) {
		length = strcspn(++line, " \n");
		if (*line == ':') {
			row = (uint32_t)strtoul(line + 1, NULL, 10);
			continue;
		}
		struct ifr_form form = {.mnemonic = (uint16_t)mnemonic};
		if (*line != '-' && length <= IFR_FORM_OPERANDS)
			memcpy(form.operands, line, length);
		ifr_table_add(&table->index, ifr_form_key(&form), row);
	}
	return mnemonic;
}

static bool is_of_core(const char *line, const char *core) {
	const size_t length = strlen(core);
	return !strncmp(line, core, length) && line[length] == ' ';
}

/* Adds "mnemonic form cell". */
static void add_measured(struct ifr_instruction_table *table, const char *line) {
	const size_t length = strcspn(line, " ");
	const char *form_text = line + length + 1;
	const size_t operands = strcspn(form_text, " ");
	const ZydisMnemonic mnemonic = find_mnemonic(line, length, ZYDIS_MNEMONIC_INVALID);
	if (mnemonic == ZYDIS_MNEMONIC_INVALID)
		return;
	struct ifr_form form = {.mnemonic = (uint16_t)mnemonic};
	if (*form_text != '*' && operands <= IFR_FORM_OPERANDS)
		memcpy(form.operands, form_text, operands);
	ifr_table_add(&table->measured, ifr_form_key(&form), table->row_count);
	add_row(table, form_text + operands + 1, true);
}

void ifr_instruction_table_init(struct ifr_instruction_table *table, const char *core, unsigned column,
                                unsigned other) {
	const char *line = ifr_instructions_text;
	ZydisMnemonic last = ZYDIS_MNEMONIC_INVALID;
	*table = (struct ifr_instruction_table){0};
	for (; *line != '\n'; line = strchr(line, '\n') + 1) {
		const char *cell = find_cell(line, column);
		add_row(table, *cell == '?' ? find_cell(line, other) : cell, false);
	}
	for (line++; *line; line = strchr(line, '\n') + 1)
		last = add_forms(table, line, last);
	for (line = ifr_measured_text; *line; line = strchr(line, '\n') + 1)
		if (is_of_core(line, core))
			add_measured(table, line + strlen(core) + 1);
}

void ifr_instruction_table_release(struct ifr_instruction_table *table) {
	ifr_table_release(&table->index);
	ifr_table_release(&table->measured);
	free(table->rows);
	free(table->groups);
	*table = (struct ifr_instruction_table){0};
}

const struct ifr_instruction_row *ifr_instruction_table_find(const struct ifr_instruction_table *table,
                                                             struct ifr_form form) {
	const struct ifr_form any = {.mnemonic = form.mnemonic};
	uint32_t row = ifr_table_find(&table->measured, ifr_form_key(&form));
	if (row == IFR_TABLE_NONE)
		row = ifr_table_find(&table->measured, ifr_form_key(&any));
	if (row == IFR_TABLE_NONE)
		row = ifr_table_find(&table->index, ifr_form_key(&form));
	if (row == IFR_TABLE_NONE && ifr_form_fold(&form))
		row = ifr_table_find(&table->index, ifr_form_key(&form));
	return row != IFR_TABLE_NONE && table->rows[row].known ? &table->rows[row] : NULL;
}
