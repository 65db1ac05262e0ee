/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/core/form.h"

#include <string.h>

static char register_letter(ZydisRegister reg) {
	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_GPR8:
		return 'b';
	case ZYDIS_REGCLASS_GPR16:
		return 'w';
	case ZYDIS_REGCLASS_GPR32:
		return 'd';
	case ZYDIS_REGCLASS_GPR64:
		return 'q';
	case ZYDIS_REGCLASS_XMM:
		return 'x';
	case ZYDIS_REGCLASS_YMM:
		return 'y';
	case ZYDIS_REGCLASS_ZMM:
		return 'z';
	case ZYDIS_REGCLASS_MMX:
		return 'm';
	case ZYDIS_REGCLASS_MASK:
		return 'k';
	case ZYDIS_REGCLASS_X87:
		return 'f';
	default:
		return 's';
	}
}

static char memory_letter(unsigned bits) {
	switch (bits) {
	case 8:
		return '1';
	case 16:
		return '2';
	case 32:
		return '3';
	case 64:
		return '4';
	case 128:
		return '5';
	case 256:
		return '6';
	case 512:
		return '7';
	default:
		return '0';
	}
}

static char operand_letter(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operand) {
	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		return register_letter(operand->reg.value);
	case ZYDIS_OPERAND_TYPE_MEMORY:
		if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			return 'a';
		if (insn->avx.broadcast.mode && !insn->avx.broadcast.is_static)
			return 'B';
		return memory_letter(operand->size);
	default:
		return 'i';
	}
}

struct ifr_form ifr_form_of(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands) {
	struct ifr_form form = {.mnemonic = (uint16_t)insn->mnemonic};
	unsigned count = 0;
	for (unsigned i = 0; i < insn->operand_count_visible && count < IFR_FORM_OPERANDS; i++)
		if (operands[i].encoding != ZYDIS_OPERAND_ENCODING_MASK)
			form.operands[count++] = operand_letter(insn, &operands[i]);
	return form;
}

bool ifr_form_fold(struct ifr_form *form) {
	char *memory = strpbrk(form->operands, "01234567B");
	if (!memory)
		return false;
	if (*memory == 'B') {
		const char *vector = strpbrk(form->operands, "xyz");
		*memory = vector ? *vector : 's';
	} else if (*memory >= '5') {
		*memory = "xyz"[*memory - '5'];
	} else if (strpbrk(form->operands, "xyz")) {
		*memory = 'x';
	} else if (strchr(form->operands, 'm')) {
		*memory = 'm';
	} else if (strchr(form->operands, 'k') && *memory != '0') {
		*memory = 'k';
	} else {
		*memory = "sbwdq"[*memory - '0'];
	}
	return true;
}

uint64_t ifr_form_key(const struct ifr_form *form) {
	uint64_t key = form->mnemonic;
	for (unsigned i = 0; i < IFR_FORM_OPERANDS; i++)
		key = key << 7 | (unsigned char)form->operands[i];
	return key;
}
