/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accesses to thread-local variables. Linkers turn them into shorter forms and leave the relocation as it was: the
 * instruction tells the form.
 *
 *     relocation      in the program                            reference
 *     TPOFF, DTPOFF   offset from the thread pointer            TPOFF32, TPOFF64
 *     GOTTPOFF        slot(%rip)                                GOTTPOFF
 *                     an immediate operand                      TPOFF32
 *     TLSGD, call     mov %fs:0,%rax; lea offset(%rax),%rax     TPOFF32, 8 bytes later
 *                     mov %fs:0,%rax; add slot(%rip),%rax       GOTTPOFF, 8 bytes later
 *     TLSLD, call     mov %fs:0,%rax                            none
 *
 * Ref: Drepper 2013, "ELF Handling For Thread-Local Storage", sections 5.1 to 5.5. */
#include <string.h>

#include "unlinker/relocation.h"

/* The values of thread-local symbols count from the begin of the segment, offsets from its end. */
static bool is_offset(const struct relocation *relocation, uint64_t at, unsigned bytes, int64_t addend) {
	return relocation->value + (uint64_t)addend - relocation->program->thread_bytes ==
	       (uint64_t)code_value(relocation->part, at, bytes);
}

static bool in_got(const struct relocation *relocation, uint64_t at, int64_t addend) {
	const uint64_t slot = at + (uint64_t)(code_value(relocation->part, at, 4) - addend);
	const struct part *part = program_part_at(relocation->program, slot);
	return part && part_is_got(part) && slot % 8 == 0;
}

static bool code_is(const struct relocation *relocation, int64_t from, const char *bytes, size_t count) {
	const struct part *part = relocation->part;
	const uint64_t offset = relocation->at - part->header.sh_addr + (uint64_t)from;
	return offset < part->header.sh_size && count <= part->header.sh_size - offset &&
	       !memcmp(part->bytes + offset, bytes, count);
}

#define LOAD_THREAD "\x64\x48\x8b\x04\x25\0\0\0\0"
enum { LOAD_THREAD_BYTES = 9 };

static relocation_problem read_general(struct relocation *relocation) {
	const uint64_t field = relocation->at + 8;
	relocation->used = 2;
	if (code_is(relocation, -4, LOAD_THREAD "\x48\x8d\x80", LOAD_THREAD_BYTES + 3) &&
	    is_offset(relocation, field, 4, relocation->addend + 4)) {
		relocation_add(relocation, field, R_X86_64_TPOFF32, relocation->addend + 4);
		return NULL;
	}
	if (code_is(relocation, -4, LOAD_THREAD "\x48\x03\x05", LOAD_THREAD_BYTES + 3) &&
	    in_got(relocation, field, -4)) {
		relocation_add(relocation, field, R_X86_64_GOTTPOFF, relocation->addend);
		return NULL;
	}
	return "reaches a thread-local variable in a form that is not known";
}

relocation_problem relocation_read_thread(struct relocation *relocation) {
	const uint64_t at = relocation->at;
	const struct code *code = relocation->code;
	switch (relocation->type) {
	case R_X86_64_TPOFF32:
	case R_X86_64_DTPOFF32:
		if (!is_offset(relocation, at, 4, relocation->addend))
			break;
		relocation_add(relocation, at, R_X86_64_TPOFF32, relocation->addend);
		return NULL;
	case R_X86_64_TPOFF64:
	case R_X86_64_DTPOFF64:
		if (!is_offset(relocation, at, 8, relocation->addend))
			break;
		relocation_add(relocation, at, R_X86_64_TPOFF64, relocation->addend);
		return NULL;
	case R_X86_64_GOTTPOFF:
		if (code && (code_marks(code, at) & MARK_MEMORY) && in_got(relocation, at, relocation->addend))
			relocation_add(relocation, at, R_X86_64_GOTTPOFF, relocation->addend);
		else if (code && (code_marks(code, at) & MARK_ABSOLUTE) &&
		         is_offset(relocation, at, 4, relocation->addend + 4))
			relocation_add(relocation, at, R_X86_64_TPOFF32, relocation->addend + 4);
		else
			break;
		return NULL;
	case R_X86_64_TLSGD:
		return read_general(relocation);
	case R_X86_64_TLSLD:
		relocation->used = 2;
		if (code_is(relocation, 0, LOAD_THREAD, LOAD_THREAD_BYTES))
			return NULL;
		break;
	default:
		break;
	}
	return "reaches a thread-local variable in a form that is not known";
}
