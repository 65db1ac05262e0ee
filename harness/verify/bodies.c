/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison of two object files without their nops.
 *
 * Problem: with other nops and other jump lengths all displacements differ, although the code is the same.
 *
 * Idea: describe each instruction and each relocated word by text that does not depend on offsets: a target inside
 * a function is the function's name and the number of the instruction. Two files are the same if their texts are.
 *
 * Jump tables of position-independent code need more: the addend of a word is the offset of its target plus the
 * word's own offset in the table, and no symbol tells where a table begins. So every offset is kept that makes all
 * words of the table so far lead to the same targets in both files; the files differ if none is left. */
#include "harness/verify/bodies.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 5 }; /* differences per kind in the finding */

/* Describes an offset of a section as "function:instruction number", else as "section+offset". */
static void describe_target(const struct ifr_object_file *object, size_t section, uint64_t at,
                            struct ifr_buffer *text) {
	const struct ifr_function *function = ifr_object_file_function_at(object, section, at);
	if (function)
		ifr_buffer_printf(text, "%s:%zu", function->name, ifr_function_index(function, at));
	else
		ifr_buffer_printf(text, "%s+0x%lx", object->sections[section].name, (unsigned long)at);
}

/* Describes the type and target of a relocation; extra is added to its addend, which for displacements is relative
 * to the field. */
static void describe_relocation(const struct ifr_object_file *object, const GElf_Rela *relocation, int64_t extra,
                                struct ifr_buffer *text) {
	size_t index = GELF_R_SYM(relocation->r_info);
	const GElf_Sym *symbol = &object->symbols[index];
	bool code = symbol->st_shndx && symbol->st_shndx < object->section_count &&
	            object->sections[symbol->st_shndx].flags & SHF_EXECINSTR;
	ifr_buffer_printf(text, "type %lu ", (unsigned long)GELF_R_TYPE(relocation->r_info));
	if (code && GELF_ST_TYPE(symbol->st_info) == STT_SECTION)
		describe_target(object, symbol->st_shndx, (uint64_t)(relocation->r_addend + extra), text);
	else if (GELF_ST_TYPE(symbol->st_info) == STT_SECTION)
		ifr_buffer_printf(text, "%s%+ld", object->sections[symbol->st_shndx].name,
		                  (long)(relocation->r_addend + extra));
	else
		ifr_buffer_printf(text, "%s%+ld", object->symbol_names[index], (long)(relocation->r_addend + extra));
}

static int64_t field_value(const uint8_t *bytes, unsigned length) {
	int64_t value = 0;
	for (unsigned i = 0; i < length; i++)
		value |= (int64_t)bytes[i] << 8 * i;
	unsigned shift = 64 - 8 * length;
	return (int64_t)((uint64_t)value << shift) >> shift;
}

/* Describes the bytes of an instruction without its displacement, and the targets of displacement and relocations.
 */
static void describe_instruction(const struct ifr_object_file *object, const struct ifr_function *function,
                                 const struct ifr_instruction *instruction, struct ifr_buffer *text) {
	const struct ifr_section *section = &object->sections[function->section];
	const GElf_Rela *relocation = ifr_section_find_relocation(section, instruction->at, instruction->length);
	uint64_t next = instruction->at + instruction->length;
	uint64_t field = instruction->at + instruction->field;
	bool has_target = instruction->field_bytes && !(relocation && relocation->r_offset == field);
	ifr_buffer_clear(text);
	if (instruction->jump)
		ifr_buffer_printf(text, "jump %u ", instruction->mnemonic);
	for (unsigned i = 0; i < instruction->length && !instruction->jump; i++)
		if (!instruction->field_bytes || i < instruction->field ||
		    i >= instruction->field + instruction->field_bytes)
			ifr_buffer_printf(text, "%02x ", section->bytes[instruction->at + i]);
	if (has_target)
		describe_target(object, function->section,
		                next + (uint64_t)field_value(section->bytes + field, instruction->field_bytes), text);
	for (; relocation && relocation->r_offset < next;
	     relocation =
	         ifr_section_find_relocation(section, relocation->r_offset + 1, next - relocation->r_offset - 1)) {
		bool distance = instruction->field_bytes && relocation->r_offset == field;
		describe_relocation(object, relocation, distance ? (int64_t)(next - field) : 0, text);
		ifr_buffer_puts(text, " ");
		if (relocation->r_offset + 1 >= next)
			break;
	}
}

static bool same_function(const struct ifr_object_file *plain, const struct ifr_function *a,
                          const struct ifr_object_file *variant, const struct ifr_function *b,
                          struct ifr_buffer *why) {
	struct ifr_buffer left = {0}, right = {0};
	size_t count = a->count < b->count ? a->count : b->count;
	bool same = true;
	for (size_t i = 0; i < count && same; i++) {
		describe_instruction(plain, a, &a->items[i], &left);
		describe_instruction(variant, b, &b->items[i], &right);
		same = !strcmp(ifr_buffer_text(&left), ifr_buffer_text(&right));
		if (!same)
			ifr_buffer_printf(why, "%s, instruction %zu: %s | %s", a->name, i, ifr_buffer_text(&left),
			                  ifr_buffer_text(&right));
	}
	if (same && a->count != b->count)
		ifr_buffer_printf(why, "%s: %zu instructions | %zu", a->name, a->count, b->count);
	same = same && a->count == b->count;
	ifr_buffer_release(&left);
	ifr_buffer_release(&right);
	return same;
}

static void compare_functions(const struct ifr_object_file *plain, const struct ifr_object_file *variant,
                              struct bodies *bodies, struct ifr_buffer *finding) {
	size_t from = 0;
	for (size_t i = 0; i < plain->function_count; i++) {
		const struct ifr_function *a = &plain->functions[i],
								  *b = ifr_object_file_next_function(variant, a->name, &from);
		struct ifr_buffer why = {0};
		bodies->functions++;
		bodies->instructions += a->count;
		if (!b)
			ifr_buffer_printf(&why, "%s is missing", a->name);
		if ((!b || !same_function(plain, a, variant, b, &why)) && bodies->differing++ < SHOWN)
			ifr_buffer_printf(finding, "%s\n", ifr_buffer_text(&why));
		ifr_buffer_release(&why);
	}
}

/* Whether a section is data to compare. Unwind tables are not: they hold distances without relocations, and only
 * running the program tests them. */
static bool is_compared(const struct ifr_section *section) {
	return section->flags & SHF_ALLOC && !(section->flags & SHF_EXECINSTR) && section->bytes &&
	       strncmp(section->name, ".eh_frame", 9) && strncmp(section->name, ".gcc_except_table", 17);
}

/* Whether a word of data may be an entry of a jump table of position-independent code. */
static bool is_table_entry(const struct ifr_object_file *object, const GElf_Rela *relocation) {
	const GElf_Sym *symbol = &object->symbols[GELF_R_SYM(relocation->r_info)];
	return GELF_R_TYPE(relocation->r_info) == R_X86_64_PC32 && GELF_ST_TYPE(symbol->st_info) == STT_SECTION &&
	       object->sections[symbol->st_shndx].flags & SHF_EXECINSTR;
}

/* Whether both words lead to the same instruction if they lie table_offset bytes from the beginning of their
 * tables. */
static bool same_target(const struct ifr_object_file *plain, const GElf_Rela *x,
                        const struct ifr_object_file *variant, const GElf_Rela *y, int64_t table_offset) {
	size_t left_section = plain->symbols[GELF_R_SYM(x->r_info)].st_shndx;
	size_t right_section = variant->symbols[GELF_R_SYM(y->r_info)].st_shndx;
	uint64_t left_at = (uint64_t)(x->r_addend - table_offset), right_at = (uint64_t)(y->r_addend - table_offset);
	const struct ifr_function *left = ifr_object_file_function_at(plain, left_section, left_at);
	const struct ifr_function *right = ifr_object_file_function_at(variant, right_section, right_at);
	if (!left || !right || strcmp(left->name, right->name))
		return false;
	return ifr_function_index(left, left_at) == ifr_function_index(right, right_at);
}

enum { MOST_WORDS = 4096 };

/* The possible offsets of a word in its table: 0, or 4 more than those of the word before it. */
struct table_offsets {
	int64_t items[MOST_WORDS];
	size_t count;
};

/* Advances the possible offsets by a word; false if none is left. */
static bool match_table_entry(const struct ifr_object_file *plain, const GElf_Rela *x,
                              const struct ifr_object_file *variant, const GElf_Rela *y,
                              struct table_offsets *offsets) {
	size_t kept = 0, count = offsets->count < MOST_WORDS ? offsets->count : MOST_WORDS - 1;
	for (size_t i = 0; i < count; i++)
		if (same_target(plain, x, variant, y, offsets->items[i] + 4))
			offsets->items[kept++] = offsets->items[i] + 4;
	if (same_target(plain, x, variant, y, 0))
		offsets->items[kept++] = 0;
	offsets->count = kept;
	return kept;
}

static bool same_words(const struct ifr_object_file *plain, const struct ifr_section *a,
                       const struct ifr_object_file *variant, const struct ifr_section *b,
                       struct ifr_buffer *why) {
	static struct table_offsets offsets;
	struct ifr_buffer left = {0}, right = {0};
	bool same = true;
	offsets.count = 0;
	for (size_t i = 0; same && i < a->relocation_count; i++) {
		const GElf_Rela *x = &a->relocations[i], *y = &b->relocations[i];
		ifr_buffer_clear(&left);
		ifr_buffer_clear(&right);
		if (is_table_entry(plain, x) && is_table_entry(variant, y)) {
			same = x->r_offset == y->r_offset && match_table_entry(plain, x, variant, y, &offsets);
		} else {
			describe_relocation(plain, x, 0, &left);
			describe_relocation(variant, y, 0, &right);
			same = !strcmp(ifr_buffer_text(&left), ifr_buffer_text(&right));
			offsets.count = 0;
		}
		if (!same)
			ifr_buffer_printf(why, "%s+0x%lx: %s | %s", a->name, (unsigned long)x->r_offset,
			                  ifr_buffer_text(&left), ifr_buffer_text(&right));
	}
	ifr_buffer_release(&left);
	ifr_buffer_release(&right);
	return same;
}

static bool same_bytes(const struct ifr_section *a, const struct ifr_section *b) {
	return a->length == b->length && !memcmp(a->bytes, b->bytes, a->length) &&
	       a->relocation_count == b->relocation_count;
}

/* Compares sections of data by name; sections of one name in their order. */
static void compare_data(const struct ifr_object_file *plain, const struct ifr_object_file *variant,
                         struct bodies *bodies, struct ifr_buffer *finding) {
	size_t from = 0;
	for (size_t i = 0; i < plain->section_count; i++) {
		const struct ifr_section *a = &plain->sections[i], *b = NULL;
		struct ifr_buffer why = {0};
		if (!is_compared(a))
			continue;
		for (size_t j = 0; j < variant->section_count && !b; j++) {
			const struct ifr_section *other = &variant->sections[(from + j) % variant->section_count];
			if (is_compared(other) && !strcmp(a->name, other->name)) {
				b = other;
				from = (size_t)(other - variant->sections) + 1;
			}
		}
		if (!b || !same_bytes(a, b))
			ifr_buffer_printf(&why, "%s has other bytes", a->name);
		else
			same_words(plain, a, variant, b, &why);
		if (why.length && bodies->data_differing++ < SHOWN)
			ifr_buffer_printf(finding, "%s\n", ifr_buffer_text(&why));
		ifr_buffer_release(&why);
	}
}

int bodies_compare(const struct ifr_buffer *plain, const char *plain_name, const struct ifr_buffer *variant,
                   const char *variant_name, struct bodies *bodies, struct ifr_buffer *finding,
                   struct ifr_error *err) {
	struct ifr_object_file left, right = {0};
	int result = ifr_object_file_open(&left, plain, plain_name, err);
	if (!result)
		result = ifr_object_file_open(&right, variant, variant_name, err);
	if (!result) {
		compare_functions(&left, &right, bodies, finding);
		compare_data(&left, &right, bodies, finding);
	}
	ifr_object_file_close(&left);
	ifr_object_file_close(&right);
	return result;
}
