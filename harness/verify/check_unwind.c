/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unwinding as in a debugger: libdw finds and executes the call frame instructions of an address. */
#include <elfutils/libdw.h>
#include <inttypes.h>
#include <stdlib.h>

#include "harness/verify/checks.h"

/* The rules that give the caller's frame and the return address, for a range of bytes. */
struct rules {
	Dwarf_Frame *frame;
	uint64_t start, end; /* from the function's first byte */
	Dwarf_Op *caller;
	size_t caller_count;
	Dwarf_Op memory[3];
	Dwarf_Op *back;
	size_t back_count;
	bool known, signal; /* known: there are rules */
};

static void find_rules(Dwarf_CFI *cfi, uint64_t function, uint64_t offset, struct rules *rules) {
	Dwarf_Addr start, end;
	*rules = (struct rules){0};
	if (!cfi || dwarf_cfi_addrframe(cfi, function + offset, &rules->frame))
		return;
	int back = dwarf_frame_info(rules->frame, &start, &end, &rules->signal);
	rules->start = start - function;
	rules->end = end - function;
	rules->known = back >= 0 && !dwarf_frame_cfa(rules->frame, &rules->caller, &rules->caller_count) &&
	               !dwarf_frame_register(rules->frame, back, rules->memory, &rules->back, &rules->back_count);
}

static bool same_operations(const Dwarf_Op *a, size_t a_count, const Dwarf_Op *b, size_t b_count) {
	if (a_count != b_count)
		return false;
	for (size_t i = 0; i < a_count; i++)
		if (a[i].atom != b[i].atom || a[i].number != b[i].number || a[i].number2 != b[i].number2)
			return false;
	return true;
}

static bool same_rules(const struct rules *a, const struct rules *b) {
	if (!a->known || !b->known)
		return a->known == b->known;
	return a->start == b->start && a->end == b->end && a->signal == b->signal &&
	       same_operations(a->caller, a->caller_count, b->caller, b->caller_count) &&
	       same_operations(a->back, a->back_count, b->back, b->back_count);
}

/* Compares a function rule by rule, from its first byte to its last. */
static void compare_function(Dwarf_CFI *base, Dwarf_CFI *variant, const struct image_symbol *was,
                             const struct image_symbol *is, struct ifr_buffer *finding) {
	for (uint64_t offset = 0, next; offset < was->size && !finding->length; offset = next) {
		struct rules wanted, got;
		find_rules(base, was->value, offset, &wanted);
		find_rules(variant, is->value, offset, &got);
		if (!same_rules(&wanted, &got))
			ifr_buffer_printf(finding, "unwinding from %.80s+0x%" PRIx64 " %s", is->name, offset,
			                  got.known ? "follows other rules" : "finds no rules");
		next = wanted.known && wanted.end > offset ? wanted.end : was->size;
		free(wanted.frame);
		free(got.frame);
	}
}

void check_unwind(const struct verify_image *base, const struct verify_image *variant,
                  struct ifr_buffer *finding) {
	Dwarf_CFI *base_cfi = dwarf_getcfi_elf(base->elf), *variant_cfi = dwarf_getcfi_elf(variant->elf);
	for (size_t i = 0; i < base->placed_count && !finding->length; i++) {
		const struct image_symbol *was = base->placed[i];
		if (image_symbol_is_function(was) && was->size && image_frame_at(base, was->value))
			compare_function(base_cfi, variant_cfi, was, &variant->symbols.items[was - base->symbols.items],
			                 finding);
	}
	if (base_cfi)
		dwarf_cfi_end(base_cfi);
	if (variant_cfi)
		dwarf_cfi_end(variant_cfi);
}
