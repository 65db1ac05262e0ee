/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/fuzz/pokes.h"

#include <ctype.h>
#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"

size_t poke_count(size_t length) {
	return (length + POKE_BYTES - 1) / POKE_BYTES;
}

struct poke poke_of(const unsigned char *pokes, size_t length, size_t index) {
	unsigned char bytes[POKE_BYTES] = {0};
	size_t left = length - index * POKE_BYTES;
	memcpy(bytes, pokes + index * POKE_BYTES, left < POKE_BYTES ? left : POKE_BYTES);
	return (struct poke){
		.file = bytes[0],
		.table = bytes[1],
		.entry = (uint16_t)(bytes[2] | bytes[3] << 8),
		.field = bytes[4],
		.operation = bytes[5],
		.value = (uint16_t)(bytes[6] | bytes[7] << 8),
	};
}

void poke_draw(uint64_t bits, size_t head, struct ifr_buffer *input) {
	enum { SAME_ENTRY_BYTES = 4 };
	size_t pokes = bits % 8 < 4 ? 1 : bits % 8 < 7 ? 2 : 5;
	/* Half of the lists poke one entry: two fields together may break what one alone cannot. */
	bool same = bits & 8;
	ifr_buffer_clear(input);
	for (size_t i = 0; i < head + pokes * POKE_BYTES; i++) {
		size_t key = i;
		if (same && i >= head && (i - head) % POKE_BYTES < SAME_ENTRY_BYTES)
			key = head + (i - head) % POKE_BYTES;
		char byte = (char)ifr_siphash(bits, key, "poke", 4);
		ifr_buffer_append(input, &byte, 1);
	}
}

/* --- one number ---------------------------------------------------------------------------------------------- */

/* Values at which counts, sizes and signs overflow. */
static const uint64_t edges[] = {
	0,
	1,
	2,
	3,
	4,
	7,
	8,
	16,
	0x7f,
	0x80,
	0xff,
	0x100,
	0xfff,
	0x1000,
	0x7fff,
	0xffff,
	0x10000,
	0xff00,
	0x7fffffff,
	0x80000000,
	0xfffffff0,
	0xffffffff,
	0x100000000,
	INT64_MAX,
	(uint64_t)INT64_MIN,
	UINT64_MAX,
	UINT64_MAX - 7,
	UINT64_MAX - 0xfff,
};

static uint64_t change_number(uint64_t old, uint64_t other, size_t length, const struct poke *poke) {
	switch (poke->operation % 8) {
	case 0:
	case 1:
		return edges[poke->value % (sizeof edges / sizeof *edges)];
	case 2:
		return old + (uint64_t)(int64_t)(int8_t)poke->value;
	case 3:
		return old ^ UINT64_C(1) << poke->value % 64;
	case 4:
		return poke->value;
	case 5:
		return other;
	case 6:
		return length + (uint64_t)(int64_t)(int8_t)poke->value;
	default:
		return -old;
	}
}

static void poke_number(struct ifr_buffer *file, size_t at, size_t other, size_t width, const struct poke *poke) {
	uint64_t old = 0, another = 0;
	if (at > file->length || width > file->length - at)
		return;
	memcpy(&old, file->data + at, width);
	if (other <= file->length && width <= file->length - other)
		memcpy(&another, file->data + other, width);
	uint64_t value = change_number(old, another, file->length, poke);
	memcpy(file->data + at, &value, width);
}

void poke_table(struct ifr_buffer *file, const struct poke_table *table, const struct poke *poke) {
	if (!table->count || table->at > file->length || table->count > (file->length - table->at) / table->stride)
		return;
	size_t field = poke->field % strlen(table->widths), inside = 0;
	for (size_t i = 0; i < field; i++)
		inside += (size_t)(table->widths[i] - '0');
	size_t at = table->at + poke->entry % table->count * table->stride + inside;
	size_t other = table->at + poke->value % table->count * table->stride + inside;
	poke_number(file, at, other, (size_t)(table->widths[field] - '0'), poke);
}

/* --- ELF ----------------------------------------------------------------------------------------------------- */

static void poke_any(struct ifr_buffer *file, const struct poke *poke) {
	if (!file->length)
		return;
	size_t at = (size_t)(poke->entry | (size_t)poke->field << 16) % file->length;
	if (poke->operation % 32 == 31)
		file->length = at;
	else
		file->data[at] = (char)poke->value;
}

/* Chooses a section of one of two types (type 0: any section) by the poke's entry, as a table of bytes. */
static struct poke_table choose_section(const char *elf, size_t length, size_t base, const Elf64_Ehdr *header,
                                        const struct poke *poke, uint32_t type, uint32_t other_type) {
	struct poke_table found = {0};
	size_t candidates = 0;
	for (size_t i = 0; i < header->e_shnum; i++) {
		Elf64_Shdr section;
		size_t at = header->e_shoff + i * sizeof section;
		if (at > length || sizeof section > length - at)
			break;
		memcpy(&section, elf + at, sizeof section);
		if ((type && section.sh_type != type && section.sh_type != other_type) || section.sh_type == SHT_NOBITS ||
		    section.sh_offset > length || section.sh_size > length - section.sh_offset || !section.sh_size)
			continue;
		/* Reservoir sampling: each candidate is as likely. */
		candidates++;
		if (ifr_random_below(ifr_siphash(poke->entry, candidates, "section", 7), candidates) == 0)
			found = (struct poke_table){.at = base + section.sh_offset, .count = section.sh_size};
	}
	return found;
}

static const char *const header_widths = "11111111"
										 "8"
										 "2248884"
										 "222222";
static const char *const section_widths = "4488884488";
static const char *const segment_widths = "44888888";
static const char *const symbol_widths = "411288";
static const char *const rela_widths = "8448";

static void poke_entries(struct ifr_buffer *file, struct poke_table table, size_t stride, const char *widths,
                         const struct poke *poke) {
	table.stride = stride;
	table.count /= stride;
	table.widths = widths;
	poke_table(file, &table, poke);
}

void poke_elf(struct ifr_buffer *file, const struct poke *poke) {
	const char *elf = file->length ? memmem(file->data, file->length, ELFMAG, SELFMAG) : NULL;
	size_t base = elf ? (size_t)(elf - file->data) : 0, length = file->length - base;
	Elf64_Ehdr header;
	if (!elf || length < sizeof header) {
		poke_any(file, poke);
		return;
	}
	memcpy(&header, elf, sizeof header);
	const struct poke_table sections = {base + header.e_shoff, header.e_shnum, sizeof(Elf64_Shdr), section_widths},
							segments = {base + header.e_phoff, header.e_phnum, sizeof(Elf64_Phdr), segment_widths},
							headers = {base, 1, sizeof header, header_widths};
	switch (poke->table % 12) {
	case 0:
		poke_table(file, &headers, poke);
		return;
	case 1:
	case 2:
		poke_table(file, &sections, poke);
		return;
	case 3:
		poke_table(file, header.e_phnum ? &segments : &sections, poke);
		return;
	case 4:
	case 5:
		poke_entries(file, choose_section(elf, length, base, &header, poke, SHT_SYMTAB, SHT_DYNSYM),
		             sizeof(Elf64_Sym), symbol_widths, poke);
		return;
	case 6:
	case 7:
		poke_entries(file, choose_section(elf, length, base, &header, poke, SHT_RELA, SHT_RELA),
		             sizeof(Elf64_Rela), rela_widths, poke);
		return;
	case 8:
		poke_entries(file, choose_section(elf, length, base, &header, poke, SHT_DYNAMIC, SHT_GROUP), 4, "4", poke);
		return;
	case 9:
		poke_entries(file, choose_section(elf, length, base, &header, poke, 0, 0), 4, "4", poke);
		return;
	case 10:
		poke_entries(file, choose_section(elf, length, base, &header, poke, 0, 0), 1, "1", poke);
		return;
	default:
		poke_any(file, poke);
	}
}

/* --- text ---------------------------------------------------------------------------------------------------- */

static void replace(struct ifr_buffer *file, size_t at, size_t length, const char *with, size_t with_length) {
	struct ifr_buffer made = {0};
	ifr_buffer_append(&made, file->data, at);
	ifr_buffer_append(&made, with, with_length);
	ifr_buffer_append(&made, file->data + at + length, file->length - at - length);
	ifr_buffer_release(file);
	*file = made;
}

/* Changes the first or second hexadecimal number of a line, and writes it as the linker does. */
static void poke_hex(struct ifr_buffer *file, size_t start, size_t length, const struct poke *poke) {
	const char *line = file->data + start, *found = memmem(line, length, "0x", 2);
	if (found && poke->field & 1) {
		const char *second = memmem(found + 2, length - (size_t)(found + 2 - line), "0x", 2);
		found = second ? second : found;
	}
	if (!found)
		return;
	char *end, *number, *text = ifr_format("%.*s", (int)(length - (size_t)(found - line)), found);
	uint64_t old = strtoull(text, &end, 16);
	number = ifr_format("0x%llx", (unsigned long long)change_number(old, old << 1, file->length, poke));
	replace(file, (size_t)(found - file->data), (size_t)(end - text), number, strlen(number));
	free(number);
	free(text);
}

/* Finds line number index, modulo the number of lines, with its newline. */
static void find_line(const struct ifr_buffer *file, size_t index, size_t *start, size_t *length) {
	size_t lines = 1;
	for (size_t i = 0; i + 1 < file->length; i++)
		lines += file->data[i] == '\n';
	*start = 0;
	for (size_t skip = index % lines; skip; ++*start)
		skip -= file->data[*start] == '\n';
	const char *end = memchr(file->data + *start, '\n', file->length - *start);
	*length = end ? (size_t)(end - file->data) + 1 - *start : file->length - *start;
}

void poke_text(struct ifr_buffer *file, const struct poke *poke) {
	size_t start, length;
	if (!file->length)
		return;
	find_line(file, poke->entry, &start, &length);
	char *line = ifr_format("%.*s", (int)length, file->data + start);
	switch (poke->table % 8) {
	case 0:
		replace(file, start, length, "", 0);
		break;
	case 1:
		replace(file, start, 0, line, strlen(line));
		break;
	case 2:
		replace(file, start, length, "", 0);
		if (file->length)
			find_line(file, poke->value, &start, &length);
		replace(file, file->length ? start : 0, 0, line, strlen(line));
		break;
	case 3:
		poke_any(file, poke);
		break;
	case 4:
		file->data[start + poke->field % length] = (char)poke->value;
		break;
	default:
		poke_hex(file, start, length, poke);
	}
	free(line);
}
