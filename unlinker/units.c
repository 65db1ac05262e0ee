/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: a linker joins the sections of the object files, and no table tells where they met.
 * Idea: symbols tell where functions begin. Cut there, unless something that is no relocation leads across the cut:
 *     a jump of one byte, which has no room for another distance;
 *     execution that runs on behind the last instruction;
 *     a range of .eh_frame, or a symbol's size.
 * Jumps and operands of four bytes without a relocation are none of these: the assembler resolved them, and
 * references.c makes them relocations again.
 * Invariant: whatever refers to code from outside its unit is a relocation, so each unit may lie anywhere. */
#include "unlinker/units.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "unlinker/frames.h"
#include "unlinker/unit_names.h"

enum { USUAL_ALIGN = 16 };

static int by_start(const void *a, const void *b) {
	const struct function *x = a, *y = b;
	return x->start != y->start ? (x->start > y->start) - (x->start < y->start)
	                            : (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

/* Collects the functions; those of one address become one, with the longest size and the first symbol. */
static void collect_functions(const struct program *program, struct split_units *units) {
	const Elf64_Shdr *text = &program->text->header;
	size_t count = 1;
	struct function *all = ifr_alloc((program->symbol_count + 1) * sizeof *all);
	all[0] = (struct function){.start = text->sh_addr, .end = text->sh_addr};
	for (size_t i = 1; i < program->symbol_count; i++) {
		const Elf64_Sym *symbol = &program->symbols[i];
		if (symbol->st_shndx < program->part_count && &program->parts[symbol->st_shndx] == program->text &&
		    ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_value - text->sh_addr < text->sh_size &&
		    symbol->st_size <= text->sh_addr + text->sh_size - symbol->st_value)
			all[count++] = (struct function){symbol->st_value, symbol->st_value + symbol->st_size, i, false};
	}
	qsort(all, count, sizeof *all, by_start);
	for (size_t i = 0; i < count; i++) {
		struct function *last = units->function_count ? &all[units->function_count - 1] : NULL;
		if (!last || last->start != all[i].start) {
			all[units->function_count++] = all[i];
			continue;
		}
		last->end = last->end > all[i].end ? last->end : all[i].end;
		last->symbol = last->symbol ? last->symbol : all[i].symbol;
	}
	units->functions = all;
}

static size_t function_index(const struct split_units *units, uint64_t address) {
	size_t low = 0, high = units->function_count;
	while (high - low > 1) {
		const size_t middle = (low + high) / 2;
		if (units->functions[middle].start <= address)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Ties all functions of a range of addresses, both ends included. */
static void tie_range(struct split_units *units, uint64_t from, uint64_t to) {
	const size_t first = function_index(units, from < to ? from : to),
				 last = function_index(units, from < to ? to : from);
	for (size_t i = first; i < last; i++)
		units->functions[i].tied = true;
}

/* Decodes each function with what follows it up to the next; symbols tell where instructions begin. */
static int decode_functions(const struct program *program, struct code *code, struct split_units *units,
                            struct ifr_error *err) {
	const uint64_t text_end = program->text->header.sh_addr + program->text->header.sh_size;
	for (size_t i = 0; i < units->function_count; i++) {
		struct function *function = &units->functions[i];
		const uint64_t next = i + 1 < units->function_count ? function[1].start : text_end;
		struct code_run run = {function->start, false};
		uint64_t at = 0;
		if (function->end > next)
			tie_range(units, function->start, function->end - 1);
		if (!code_decode(code, function->start, next, &run, &at))
			return ifr_fail(err, IFR_E_USAGE,
			                "%s has bytes in %s, at %#llx, that are no instructions: where they lead to cannot be "
			                "known",
			                program->path,
			                function->symbol ? program_symbol_name(program, function->symbol) : ".text",
			                (unsigned long long)at);
		if (function->end < run.end || function->end > next)
			function->end = run.end;
		if (run.runs_on && i + 1 < units->function_count)
			function->tied = true;
	}
	code->readable = true;
	return 0;
}

/* Ties what jumps of one byte connect. */
static void tie_short_jumps(const struct code *code, struct split_units *units) {
	const uint64_t base = code->part->header.sh_addr;
	for (uint64_t at = base; at < base + code->part->header.sh_size; at++)
		if (code_marks(code, at) & MARK_BRANCH8)
			tie_range(units, at, code_target(code, at));
}

/* Ties what one description of frames covers. */
static void tie_frames(const struct frames *frames, const struct part *text, struct split_units *units) {
	for (size_t i = 0; i < frames->count; i++) {
		const struct frame *frame = &frames->items[i];
		const uint64_t offset = frame->start - text->header.sh_addr;
		if (!frame->is_cie && frame->range && offset < text->header.sh_size &&
		    frame->range <= text->header.sh_size - offset)
			tie_range(units, frame->start, frame->start + frame->range - 1);
	}
}

static unsigned align_of(uint64_t address) {
	const uint64_t align = address & -address;
	return align && align < USUAL_ALIGN ? (unsigned)align : USUAL_ALIGN;
}

static void make_units(const struct program *program, struct split_units *units) {
	units->items = ifr_alloc((units->function_count + 1) * sizeof *units->items);
	for (size_t i = 0, end; i < units->function_count; i = end) {
		for (end = i + 1; end < units->function_count && units->functions[end - 1].tied;)
			end++;
		const struct function *first = &units->functions[i], *last = &units->functions[end - 1];
		struct split_unit unit = {
			.start = first->start, .end = last->end, .align = align_of(first->start), .functions = end - i};
		for (size_t k = i; k < end && !unit.symbol; k++)
			unit.symbol = units->functions[k].symbol;
		if (unit.end > unit.start)
			units->items[units->count++] = unit;
	}
	split_units_name(program, units);
}

int split_units_find(const struct program *program, const struct frames *frames, struct code *code,
                     struct split_units *units, struct ifr_error *err) {
	*units = (struct split_units){0};
	collect_functions(program, units);
	int result = decode_functions(program, code, units, err);
	if (result)
		return result;
	tie_short_jumps(code, units);
	tie_frames(frames, program->text, units);
	make_units(program, units);
	return 0;
}

void split_units_release(struct split_units *units) {
	for (size_t i = 0; i < units->count; i++)
		free(units->items[i].name);
	free(units->items);
	free(units->functions);
}

const struct function *split_function_at(const struct split_units *units, uint64_t address) {
	const struct function *function = &units->functions[function_index(units, address)];
	return address >= function->start && address < function->end ? function : NULL;
}

const struct split_unit *split_unit_at(const struct split_units *units, uint64_t address) {
	size_t low = 0, high = units->count;
	while (high - low > 1) {
		const size_t middle = (low + high) / 2;
		if (units->items[middle].start <= address)
			low = middle;
		else
			high = middle;
	}
	return units->count && address >= units->items[low].start && address < units->items[low].end
	           ? &units->items[low]
	           : NULL;
}
