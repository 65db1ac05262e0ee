/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the linker rewrites instructions: loads from .got, calls through it, accesses to thread-local variables.
 * The bytes in the output say what it made of each. Ref: H.J. Lu et al., System V ABI, AMD64 Architecture
 * Processor Supplement 1.0, sections 4.4 and B.2; Drepper 2013, "ELF Handling For Thread-Local Storage",
 * sections 5.1 to 5.5. */
#include <string.h>

#include "relinker/prepare/prepare_work.h"

/* The way to a slot of .got. Slots are remembered by their symbol: their own words do not say it. */
void work_slot(struct work *work, uint64_t offset, bool wide) {
	static const char *const names[] = {".got", NULL};
	uint64_t address = work_load(work, offset, wide) + work->address + offset - work->addend;
	if (!work_in_sections(work->preparation, address, names)) {
		work_pin(work, PIN_BYTES);
		return;
	}
	if (work->target.atom || work->target.known)
		names_add(&work->preparation->slots, "", address, work->target.atom, NULL);
	work_site(work, wide ? PATCH_PC64 : PATCH_PC32, offset, 0);
}

/* The two bytes before the field, opcode and ModRM, and what the linker made of them. */
void work_relaxable(struct work *work) {
	uint64_t at = work->offset;
	if (at < 2 || at + 4 > work->bytes) {
		work_pin(work, PIN_KIND);
		return;
	}
	const uint8_t *old = work->input + at, *new = work->output + at;
	if (old[-2] == new[-2] && old[-1] == new[-1]) {
		work_slot(work, at, false);
	} else if (old[-2] == 0xff) {
		/* call or jmp *slot: the direct form is a byte shorter, so the field may stand a byte earlier. */
		bool earlier = new[-2] == 0xe8 || new[-2] == 0xe9;
		if (!earlier && new[-1] != 0xe8)
			work_pin(work, PIN_BYTES);
		else
			work_relative(work, earlier ? at - 1 : at, false);
	} else if (new[-2] == 0x8d) {
		work_relative(work, at, false);
	} else if (new[-2] == 0xc7 || new[-2] == 0xf7 || new[-2] == 0x81) {
		/* The symbol as an immediate operand: without the 4 bytes to the next instruction. */
		work->addend += 4;
		work_absolute(work, at, false);
	} else {
		work_pin(work, PIN_BYTES);
	}
}

/* General and local dynamic: unchanged, through a slot of the offset instead, or without any address. */
void work_dynamic_tls(struct work *work, uint64_t before) {
	uint64_t at = work->offset;
	if (at < before || at + 12 > work->bytes) {
		work_pin(work, PIN_KIND);
		return;
	}
	static const uint8_t load_offset[] = {0x48, 0x03, 0x05};
	const uint8_t *old = work->input + at, *new = work->output + at;
	if (!memcmp(old - before, new - before, before)) {
		work_slot(work, at, false);
		return;
	}
	work->skip = true;
	if (!memcmp(new + 5, load_offset, sizeof load_offset)) {
		work->target.atom = 0;
		work_slot(work, at + 8, false);
	}
}

/* mov or add of an offset from .got, which becomes an immediate one. */
void work_initial_tls(struct work *work) {
	uint64_t at = work->offset;
	if (at < 3 || at + 4 > work->bytes) {
		work_pin(work, PIN_KIND);
		return;
	}
	const uint8_t *old = work->input + at, *new = work->output + at;
	bool descriptor = old[-2] == 0x8d && new[-2] == 0x8b;
	if (descriptor || !memcmp(old - 3, new - 3, 3))
		work_slot(work, at, false);
}
