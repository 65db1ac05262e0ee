/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One core's figures of instructions, by form (instructions.txt). */
#ifndef IFR_MODEL_INSTRUCTION_TABLE_H
#define IFR_MODEL_INSTRUCTION_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/table.h"
#include "model/core/form.h"

/* Equal operations that compute: how many, on which ports, for how many cycles each keeps its port or a divider. */
struct ifr_port_group {
	uint16_t ports;
	uint8_t count, occupancy, divider;
	uint8_t latency; /* of the first operation, where it is not one cycle; 0: it is */
};

struct ifr_instruction_row {
	uint32_t first_group;
	uint8_t groups, latency;
	bool known;
	bool measured; /* of ifr_measured_text: its ports are the core's own */
};

struct ifr_instruction_table {
	struct ifr_table index;    /* keys of forms to rows */
	struct ifr_table measured; /* the same, first looked up; of a form without operands: all forms of a mnemonic */
	struct ifr_instruction_row *rows;
	struct ifr_port_group *groups;
	uint32_t row_count, group_count;
};

/* The text of instructions.txt, built in. scripts/core_data/run makes it from the scheduling models of LLVM 16 (Apache
 * License 2.0 with LLVM Exceptions). It has first the rows, a line each, the cores' cells separated by "|"; an empty
 * line; then a line for each mnemonic, ":row" before the forms that have it. A cell is the latency and groups
 * "ports[*count][/occupancy][!divider]", ports in base 16; "?": unknown. Loads and stores are not in it. */
extern const char ifr_instructions_text[];
/* The text of measured.txt, built in: figures that hold in place of a core's column. A line each, "core mnemonic form
 * cell", whose form is "*" for all of the mnemonic; a group of a cell may have ":latency", of the first operation. Other
 * lines are empty, or begin with "#". */
extern const char ifr_measured_text[];

/* Reads a core's column; what is unknown there, from the other one; and what is measured on the core of this name. */
void ifr_instruction_table_init(struct ifr_instruction_table *table, const char *core, unsigned column,
                                unsigned other);
void ifr_instruction_table_release(struct ifr_instruction_table *table);
/* Finds a form, or the form with a register in place of memory; NULL if neither is known. */
const struct ifr_instruction_row *ifr_instruction_table_find(const struct ifr_instruction_table *table,
                                                             struct ifr_form form);

#endif
