/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions that the linker may relax: loads from .got, calls through it, accesses to thread-local variables.
 * The bytes in the program tell the form that it chose:
 *
 *     in the object                 in the program                           patched field
 *     any op slot(%rip)             unchanged                                pc-relative, to the slot
 *     call, jmp *slot(%rip)         e8 or e9 target, a byte shorter; nop     pc-relative, a byte earlier
 *     call *slot(%rip)              67 e8 target                             pc-relative
 *     mov slot(%rip), reg           8d: lea target(%rip), reg                pc-relative
 *     mov, test, add, ...           c7, f7, 81: immediate operand            absolute
 *     TLS, general, local dynamic   unchanged                                pc-relative, to the slot
 *                                   add slot(%rip), %rax (initial exec)      pc-relative, to the slot, 8 bytes later
 *                                   an offset (local exec)                   none
 *     TLS, initial exec             unchanged                                pc-relative, to the slot
 *                                   immediate operand (local exec)           none
 *     TLS, descriptor               unchanged                                pc-relative, to the slot
 *                                   8b: mov slot(%rip) (initial exec)        pc-relative, to the slot
 *                                   immediate operand (local exec)           none
 *
 * Ref: H.J. Lu et al., System V ABI, AMD64 Architecture Processor Supplement 1.0, sections 4.4 and B.2; Drepper
 * 2013, "ELF Handling For Thread-Local Storage", sections 5.1 to 5.5. */
#include <string.h>

#include "relinker/prepare/prepare_relocation.h"

/* Patches the distance to a slot of .got and records the symbol of the slot, which its own word does not tell. */
void relocation_patch_slot(struct relocation *relocation, uint64_t offset, bool wide) {
	static const char *const names[] = {".got", NULL}; /* also .got.plt */
	uint64_t address =
		relocation_load(relocation, offset, wide) + relocation->address + offset - relocation->addend;
	if (!prepare_in_sections(relocation->preparation, address, names)) {
		relocation_pin(relocation, PIN_BYTES);
		return;
	}
	if (relocation->target.atom || relocation->target.known)
		names_add(&relocation->preparation->slots, "", address, relocation->target.atom, NULL);
	relocation_add_patch_site(relocation, wide ? PATCH_PC64 : PATCH_PC32, offset, 0);
}

/* Compares opcode and ModRM, the two bytes before the field, in the object and in the program. */
void relocation_patch_relaxable(struct relocation *relocation) {
	uint64_t at = relocation->offset;
	if (at < 2 || at + 4 > relocation->bytes) {
		relocation_pin(relocation, PIN_KIND);
		return;
	}
	const uint8_t *old = relocation->input + at, *new = relocation->output + at;
	if (old[-2] == new[-2] && old[-1] == new[-1]) {
		relocation_patch_slot(relocation, at, false);
	} else if (old[-2] == 0xff) {
		/* call or jmp *slot: the direct form is a byte shorter, so the field can lie a byte earlier. */
		bool earlier = new[-2] == 0xe8 || new[-2] == 0xe9;
		if (!earlier && new[-1] != 0xe8)
			relocation_pin(relocation, PIN_BYTES);
		else
			relocation_patch_relative(relocation, earlier ? at - 1 : at, false);
	} else if (new[-2] == 0x8d) {
		relocation_patch_relative(relocation, at, false);
	} else if (new[-2] == 0xc7 || new[-2] == 0xf7 || new[-2] == 0x81) {
		/* An immediate operand holds the symbol itself: the addend's -4, to the next instruction, goes. */
		relocation->addend += 4;
		relocation_patch_absolute(relocation, at, false);
	} else {
		relocation_pin(relocation, PIN_BYTES);
	}
}

/* General and local dynamic: unchanged, or an offset from a slot (initial exec), or without any address (local
 * exec). */
void relocation_patch_dynamic_tls(struct relocation *relocation, uint64_t before) {
	uint64_t at = relocation->offset;
	if (at < before || at + 12 > relocation->bytes) {
		relocation_pin(relocation, PIN_KIND);
		return;
	}
	static const uint8_t load_offset[] = {0x48, 0x03, 0x05};
	const uint8_t *old = relocation->input + at, *new = relocation->output + at;
	if (!memcmp(old - before, new - before, before)) {
		relocation_patch_slot(relocation, at, false);
		return;
	}
	relocation->skip = true;
	if (!memcmp(new + 5, load_offset, sizeof load_offset)) {
		relocation->target.atom = 0;
		relocation_patch_slot(relocation, at + 8, false);
	}
}

/* Initial exec: mov or add of an offset from .got, unchanged or an immediate operand (local exec). */
void relocation_patch_initial_tls(struct relocation *relocation) {
	uint64_t at = relocation->offset;
	if (at < 3 || at + 4 > relocation->bytes) {
		relocation_pin(relocation, PIN_KIND);
		return;
	}
	const uint8_t *old = relocation->input + at, *new = relocation->output + at;
	bool descriptor = old[-2] == 0x8d && new[-2] == 0x8b;
	if (descriptor || !memcmp(old - 3, new - 3, 3))
		relocation_patch_slot(relocation, at, false);
}
