/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints model/core/instructions.txt: every form of instruction that Zydis decodes, with its operations on each core by
 * LLVM's scheduling models (schedule.h). scripts/core_data/run builds and starts it.
 *
 * Encodings are enumerated: every opcode of every map, with each prefix and width, with registers and with memory. The
 * first encoding of a form stands for it. Ports that loads and stores use are left out: the decoder adds them, for
 * every instruction alike. A form with memory whose operations are those of the form with a register is left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/table.h"
#include "model/core/form.h"
#include "scripts/core_data/schedule.h"

enum {
	FP_MEMORY = 1 << 12,
	CORES = 9,
	ICE_LAKE = 4,
	GOLDEN_COVE = 5,
	BYTES = 15,
	IMMEDIATE = 0x21,
	ROWS_MAX = 16384,
	FORMS_MAX = 32768
};

static const char *const cpus[CORES] = {"sandybridge", "haswell", "skylake", "skylake-avx512", "icelake-server",
                                        "alderlake",   "znver2",  "znver3",  "znver4"};

struct entry {
	struct ifr_form form;
	char *cells[CORES]; /* latency and groups of ports; "?": unknown */
	unsigned row;
	bool dropped;
};

static struct ifr_schedule *schedules[CORES];
static ZydisDecoder decoder;
static struct entry entries[FORMS_MAX];
static unsigned entry_count;
static char *rows[ROWS_MAX];
static unsigned row_count;
static int load_latencies[CORES][2]; /* of general and of vector registers */

/* --- rows ---------------------------------------------------------------------------------------------------- */

struct ports {
	unsigned mask;
	bool memory, divider, ignored;
};

/* Ports of a unit by its name: HWPort237, ADLPPort02_03_11, Zn3ALU0, Zn4FP45. AMD's: ALU from 0, branch 7, FP from 8. */
static struct ports ports_of(const char *name) {
	struct ports ports = {0};
	const char *at = strstr(name, "Port");
	if (strstr(name, "Divider"))
		return (struct ports){.divider = true};
	if (at) {
		bool wide = !strncmp(name, "ADLP", 4);
		for (at += 4; *at; at += *at == '_' ? 1 : wide ? 2 : 1)
			if (*at != '_')
				ports.mask |= 1U << (wide ? (at[0] - '0') * 10 + at[1] - '0' : *at - '0');
		if (wide)
			ports.memory = ports.mask & 0xb9c;
		else
			ports.memory = ports.mask & 0x39c;
		return ports;
	}
	at = name + 3;
	if (!strncmp(at, "ALU", 3))
		ports.mask = 1U << (at[3] - '0');
	else if (!strcmp(at, "BRU1"))
		ports.mask = 1U << 7;
	else if (!strcmp(at, "FPP45") || !strcmp(at, "FP45"))
		ports.mask = 1U << 12;
	else if (!strncmp(at, "FPU", 3) || !strncmp(at, "FPP", 3))
		ports.mask = 1U << (8 + at[3] - '0');
	else if (!strncmp(at, "FP", 2))
		ports.mask = 1U << (8 + at[2] - '0');
	else if (!strncmp(at, "AGU", 3) || !strcmp(at, "Load") || !strcmp(at, "Store") || !strcmp(at, "LSU"))
		ports.memory = true;
	else
		ports.ignored = true;
	return ports;
}

static struct ports ports_of_resource(const struct ifr_resource *resource) {
	struct ports all = {0};
	for (unsigned i = 0; i < resource->units; i++) {
		struct ports one = ports_of(resource->unit_names[i]);
		all.mask |= one.mask;
		all.memory = all.memory || one.memory;
		all.divider = all.divider || one.divider;
		all.ignored = all.ignored || one.ignored;
	}
	return all;
}

struct memory_of {
	bool vector;
	unsigned loads, stores;
};

static struct memory_of memory_of(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands) {
	struct memory_of memory = {0};
	for (unsigned i = 0; i < insn->operand_count; i++) {
		const ZydisDecodedOperand *operand = &operands[i];
		memory.vector |= operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		                 ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value) >= 128;
		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		memory.loads += (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
		memory.stores += (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
	}
	return memory;
}

/* Adds "ports", "ports*count" or "ports/cycles"; a divider is "/cycles" of the first group. */
static void print_groups(const struct ifr_scheduled *scheduled, bool divides, bool memory, struct ifr_buffer *to) {
	unsigned divider = 0, groups = 0;
	for (unsigned i = 0; i < scheduled->count; i++)
		if (scheduled->resources[i].cycles && ports_of_resource(&scheduled->resources[i]).divider)
			divider = scheduled->resources[i].cycles;
	for (unsigned i = 0; i < scheduled->count; i++) {
		const struct ifr_resource *resource = &scheduled->resources[i];
		struct ports ports = ports_of_resource(resource);
		if (!resource->cycles || ports.memory || ports.divider || ports.ignored || !ports.mask)
			continue;
		if (memory && ports.mask == FP_MEMORY)
			continue;
		ifr_buffer_printf(to, " %x", ports.mask);
		unsigned cycles = resource->cycles, units = (unsigned)__builtin_popcount(ports.mask);
		if (cycles > 1 && cycles <= scheduled->uops)
			ifr_buffer_printf(to, "*%u", cycles);
		else if (cycles > 1 && divides)
			divider = cycles;
		else if ((cycles + units - 1) / units > 1)
			ifr_buffer_printf(to, "/%u", (cycles + units - 1) / units);
		if (!groups++ && divider)
			ifr_buffer_printf(to, "!%u", divider);
	}
}

static bool divides(ZydisMnemonic mnemonic) {
	const char *name = ZydisMnemonicGetString(mnemonic);
	return strstr(name, "div") || strstr(name, "sqrt");
}

/* Figures that LLVM lacks: it has a default for divisions by 32 bits, and Skylake's divider for Ice Lake. The latency is
 * the quotient's. Ref: A. Abel and J. Reineke, uops.info, DIV_R32, DIV_R64 (Alder Lake-P; Rocket Lake for Ice Lake). A.
 * Fog, instruction_tables.pdf, DIV and IDIV r32 (Sandy Bridge, Haswell, Skylake). */
static const struct correction {
	unsigned first_core, last_core;
	char operand;
	const char *cell;
} divisions[] = {
	{0, 0, 'd', "25 1!11 23*9"},      {1, 1, 'd', "26 1!10 63*9"}, {2, 3, 'd', "26 1!6 63*9"},
	{4, 4, 'd', "12 2!6 63*3"},       {4, 4, 'q', "14 2!10 63*3"}, {5, 5, 'd', "11 2!6 2*2 463"},
	{5, 5, 'q', "14 2!10 2*2 463*2"},
};

static bool is_division(const struct ifr_form *form) {
	return form->mnemonic == ZYDIS_MNEMONIC_DIV || form->mnemonic == ZYDIS_MNEMONIC_IDIV;
}

static const char *find_correction(unsigned core, const struct ifr_form *form) {
	const char operand = *form->operands == '3' ? 'd' : *form->operands == '4' ? 'q' : *form->operands;
	for (unsigned i = 0; is_division(form) && i < sizeof divisions / sizeof *divisions; i++)
		if (core >= divisions[i].first_core && core <= divisions[i].last_core && operand == divisions[i].operand)
			return divisions[i].cell;
	return NULL;
}

/* LLVM's Alder Lake has no divider: Golden Cove's is Ice Lake's. */
static char *with_divider_of(char *cell, const char *other) {
	const char *divider = strchr(other, '!');
	if (!divider || strchr(cell, '!') || !strchr(cell, ' '))
		return cell;
	const int group = (int)(strchr(cell, ' ') - cell) + 1 + (int)strcspn(strchr(cell, ' ') + 1, " ");
	char *made = ifr_format("%.*s!%lu%s", group, cell, strtoul(divider + 1, NULL, 10), cell + group);
	free(cell);
	return made;
}

static char *describe(unsigned core, const unsigned char *bytes, const ZydisDecodedInstruction *insn,
                      const ZydisDecodedOperand *operands) {
	static struct ifr_scheduled scheduled;
	struct ifr_buffer text = {0};
	if (!ifr_schedule_read(schedules[core], bytes, insn->length, &scheduled))
		return ifr_strdup("?");
	struct memory_of memory = memory_of(insn, operands);
	int latency = scheduled.latency - (memory.loads ? load_latencies[core][memory.vector] : 0);
	ifr_buffer_printf(&text, "%d", latency < 0 ? 0 : latency);
	print_groups(&scheduled, divides(insn->mnemonic), memory.loads || memory.stores, &text);
	return ifr_buffer_detach(&text);
}

static unsigned find_row(const char *text) {
	for (unsigned i = 0; i < row_count; i++)
		if (!strcmp(rows[i], text))
			return i;
	if (row_count == ROWS_MAX)
		abort();
	rows[row_count] = ifr_strdup(text);
	return row_count++;
}

/* --- forms --------------------------------------------------------------------------------------------------- */

static struct entry *find_entry(const struct ifr_form *form) {
	for (unsigned i = 0; i < entry_count; i++)
		if (entries[i].form.mnemonic == form->mnemonic && !strcmp(entries[i].form.operands, form->operands))
			return &entries[i];
	return NULL;
}

static void read_load_latencies(void) {
	static const unsigned char general[] = {0x48, 0x8b, 0x03}, vector[] = {0x0f, 0x28, 0x03};
	static struct ifr_scheduled scheduled;
	for (unsigned core = 0; core < CORES; core++) {
		ifr_schedule_read(schedules[core], general, 3, &scheduled);
		load_latencies[core][0] = scheduled.latency;
		ifr_schedule_read(schedules[core], vector, 3, &scheduled);
		load_latencies[core][1] = scheduled.latency;
	}
}

static void try_encoding(const unsigned char *bytes) {
	static unsigned char seen[1 << 24];
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, BYTES, &insn, operands)))
		return;
	struct ifr_form form = ifr_form_of(&insn, operands);
	unsigned char *mark = &seen[ifr_form_key(&form) * 0x9e3779b97f4a7c15 >> 40];
	if (*mark && find_entry(&form))
		return;
	struct entry entry = {.form = form};
	bool known = false;
	for (unsigned core = 0; core < CORES; core++) {
		const char *correction = find_correction(core, &form);
		entry.cells[core] = correction ? ifr_strdup(correction) : describe(core, bytes, &insn, operands);
		known = known || *entry.cells[core] != '?';
	}
	if (!known)
		return;
	entry.cells[GOLDEN_COVE] = with_divider_of(entry.cells[GOLDEN_COVE], entry.cells[ICE_LAKE]);
	*mark = 1;
	if (entry_count == FORMS_MAX)
		abort();
	entries[entry_count++] = entry;
}

/* Tries an opcode behind `at` bytes of prefixes, with registers and with memory. */
static void try_operands(unsigned char *bytes, unsigned at, bool x87) {
	for (unsigned mod = 0; mod < 2; mod++)
		for (unsigned reg = 0; reg < 8; reg++) {
			memset(bytes + at + 1, IMMEDIATE, BYTES - at - 1);
			bytes[at] = (unsigned char)(mod ? reg << 3 | 3 : 0xc0 | reg << 3 | ((reg + 3) & 7));
			try_encoding(bytes);
			for (unsigned rm = 0; x87 && !mod && rm < 8; rm++) {
				bytes[at] = (unsigned char)(0xc0 | reg << 3 | rm);
				try_encoding(bytes);
			}
		}
	/* vector indices of gathers: [rbx + 4 * 5] */
	bytes[at] = 0x0c;
	bytes[at + 1] = 0xab;
	try_encoding(bytes);
}

static void try_legacy(void) {
	static const unsigned char prefixes[] = {0, 0x66, 0xf2, 0xf3};
	unsigned char bytes[BYTES + 16];
	for (unsigned choice = 0; choice < 4 * 2 * 4 * 256; choice++) {
		unsigned at = 0, map = choice >> 8 & 3;
		if (prefixes[choice >> 10 & 3])
			bytes[at++] = prefixes[choice >> 10 & 3];
		if (choice >> 12)
			bytes[at++] = 0x48;
		if (map)
			bytes[at++] = 0x0f;
		if (map > 1)
			bytes[at++] = map == 2 ? 0x38 : 0x3a;
		bytes[at++] = (unsigned char)choice;
		try_operands(bytes, at, !map && (choice & 0xf8) == 0xd8);
	}
}

static void try_vex(void) {
	unsigned char bytes[BYTES + 16];
	for (unsigned choice = 0; choice < 3 * 2 * 2 * 2 * 4 * 256; choice++) {
		unsigned pp = choice >> 8 & 3, wide = choice >> 10 & 1, length = choice >> 11 & 1,
				 second = choice >> 12 & 1;
		bytes[0] = 0xc4;
		bytes[1] = (unsigned char)(0xe0 | (1 + (choice >> 13)));
		bytes[2] = (unsigned char)(wide << 7 | (second ? 0xa : 0xf) << 3 | length << 2 | pp);
		bytes[3] = (unsigned char)choice;
		try_operands(bytes, 4, false);
	}
}

static void try_evex(void) {
	unsigned char bytes[BYTES + 16];
	for (unsigned choice = 0; choice < 3 * 2 * 2 * 2 * 3 * 2 * 4 * 256; choice++) {
		unsigned rest = choice >> 10, wide = rest & 1, length = rest / 2 % 3;
		rest /= 6;
		bytes[0] = 0x62;
		bytes[1] = (unsigned char)(0xf1 + rest / 8);
		bytes[2] = (unsigned char)(wide << 7 | (rest & 1 ? 0xa : 0xf) << 3 | 4 | (choice >> 8 & 3));
		bytes[3] = (unsigned char)(length << 5 | (rest >> 1 & 1) << 4 | 8 | (rest >> 2 & 1));
		bytes[4] = (unsigned char)choice;
		try_operands(bytes, 5, false);
	}
}

/* --- the table ----------------------------------------------------------------------------------------------- */

static const char *groups_of(const char *cell) {
	return cell + strcspn(cell, " ");
}

/* A form with memory takes the latencies of the form with a register where both use the same ports; a division takes
 * all, because its other figures are defaults. */
static void adopt_latencies(struct entry *entry, const struct entry *other) {
	entry->dropped = true;
	for (unsigned core = 0; core < CORES; core++) {
		const bool unknown = *entry->cells[core] == '?' || *other->cells[core] == '?';
		if (!strcmp(groups_of(entry->cells[core]), groups_of(other->cells[core])) || unknown ||
		    is_division(&entry->form))
			entry->cells[core] = other->cells[core];
		else
			entry->dropped = false;
	}
}

static void settle_entries(void) {
	for (unsigned i = 0; i < entry_count; i++) {
		struct ifr_form form = entries[i].form;
		const struct entry *other = ifr_form_fold(&form) ? find_entry(&form) : NULL;
		if (other)
			adopt_latencies(&entries[i], other);
	}
	for (unsigned i = 0; i < entry_count; i++) {
		struct ifr_buffer row = {0};
		for (unsigned core = 0; core < CORES; core++)
			ifr_buffer_printf(&row, "%s%s", core ? "|" : "", entries[i].cells[core]);
		entries[i].row = find_row(ifr_buffer_text(&row));
		ifr_buffer_release(&row);
	}
}

static int by_name(const void *a, const void *b) {
	const struct entry *x = a, *y = b;
	int order = strcmp(ZydisMnemonicGetString(x->form.mnemonic), ZydisMnemonicGetString(y->form.mnemonic));
	if (!order)
		order = strcmp(rows[x->row], rows[y->row]);
	return order ? order : strcmp(x->form.operands, y->form.operands);
}

static void print_entries(void) {
	const struct entry *last = NULL;
	unsigned kept = 0, *numbers = calloc(row_count, sizeof *numbers);
	qsort(entries, entry_count, sizeof *entries, by_name);
	for (unsigned i = 0; i < entry_count; i++)
		if (!entries[i].dropped && !numbers[entries[i].row]) {
			numbers[entries[i].row] = ++kept;
			printf("%s\n", rows[entries[i].row]);
		}
	for (unsigned i = 0; i < entry_count; i++) {
		const struct entry *entry = &entries[i];
		if (entry->dropped)
			continue;
		if (!last || last->form.mnemonic != entry->form.mnemonic)
			printf("\n%s", ZydisMnemonicGetString(entry->form.mnemonic));
		if (!last || last->form.mnemonic != entry->form.mnemonic || last->row != entry->row)
			printf(" :%u", numbers[entry->row] - 1);
		printf(" %s", *entry->form.operands ? entry->form.operands : "-");
		last = entry;
	}
	printf("\n");
	fprintf(stderr, "%u forms, %u rows\n", entry_count, kept);
	free(numbers);
}

int main(void) {
	for (unsigned core = 0; core < CORES; core++)
		if (!(schedules[core] = ifr_schedule_open(cpus[core])))
			return fprintf(stderr, "LLVM has no processor %s\n", cpus[core]), 4;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	read_load_latencies();
	try_legacy();
	try_vex();
	try_evex();
	settle_entries();
	print_entries();
	return 0;
}
