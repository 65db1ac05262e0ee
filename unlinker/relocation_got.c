/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads from .got that the linker kept, or relaxed. ld.bfd gives the relocation the kind that fits, lld leaves it.
 * Ref: H.J. Lu et al., System V ABI, AMD64 Architecture Processor Supplement 1.0, section B.2. */
#include "unlinker/relocation.h"

relocation_problem relocation_read_got(struct relocation *relocation) {
	const struct code *code = relocation->code;
	const uint64_t at = relocation->at;
	if (!code)
		return "is data in a place of code";
	if (!relocation->imported &&
	    ELF64_ST_TYPE(relocation->program->symbols[relocation->symbol].st_info) == STT_SECTION)
		return "names no symbol";
	const unsigned marks = code_marks(code, at);
	if (marks & MARK_MEMORY) {
		const uint64_t slot = at + (uint64_t)(code_value(relocation->part, at, 4) - relocation->addend);
		const struct part *part = program_part_at(relocation->program, slot);
		if (part && part_is_got(part) && slot % 8 == 0) {
			relocation_add(relocation, at, R_X86_64_GOTPCREL, relocation->addend);
			return NULL;
		}
		return relocation_add_direct(relocation, at, R_X86_64_PC32, relocation->addend);
	}
	if (marks & MARK_BRANCH32)
		return relocation_add_direct(relocation, at, R_X86_64_PC32, relocation->addend);
	if (code_marks(code, at - 1) & MARK_BRANCH32)
		return relocation_add_direct(relocation, at - 1, R_X86_64_PC32, relocation->addend);
	if (marks & MARK_ABSOLUTE)
		return relocation_add_direct(relocation, at, R_X86_64_32S, relocation->addend + 4);
	return "is no load from .got, and no form of one";
}
