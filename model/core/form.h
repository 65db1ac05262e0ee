/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The form of an instruction: its mnemonic and its operands' kinds and widths, by which tables know it. */
#ifndef IFR_MODEL_FORM_H
#define IFR_MODEL_FORM_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdint.h>

enum { IFR_FORM_OPERANDS = 5 };

/* Letters of the operands that the assembler's text shows; masks are left out.
 *   b w d q      general registers of 8 to 64 bits      x y z  vector registers     m  mmx
 *   k            mask                                   f      x87                  s  any other register
 *   i            immediate, jump target                 a      address of lea
 *   1 2 3 4      memory of 8 to 64 bits                 5 6 7  of 128 to 512        0  of another size
 *   B            memory of one element, broadcast */
struct ifr_form {
	uint16_t mnemonic;
	char operands[IFR_FORM_OPERANDS + 1];
};

struct ifr_form ifr_form_of(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands);
/* Puts a register in place of memory. Returns false if there is none. */
bool ifr_form_fold(struct ifr_form *form);
/* Returns the key in tables, which is not 0. */
uint64_t ifr_form_key(const struct ifr_form *form);

#endif
