/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ref: A. Fog, microarchitecture.pdf (independent instructions and eliminated moves, of each machine). Intel 64 and IA-32
 * Architectures Optimization Reference Manual, "Clearing registers and dependency breaking idioms". */
#include "model/core/idioms.h"

#include "model/core/operation.h"

static bool is_zero_idiom(ZydisMnemonic mnemonic) {
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_PXOR:
	case ZYDIS_MNEMONIC_XORPS:
	case ZYDIS_MNEMONIC_XORPD:
	case ZYDIS_MNEMONIC_VPXOR:
	case ZYDIS_MNEMONIC_VPXORD:
	case ZYDIS_MNEMONIC_VPXORQ:
	case ZYDIS_MNEMONIC_VXORPS:
	case ZYDIS_MNEMONIC_VXORPD:
	case ZYDIS_MNEMONIC_PSUBB:
	case ZYDIS_MNEMONIC_PSUBW:
	case ZYDIS_MNEMONIC_PSUBD:
	case ZYDIS_MNEMONIC_PSUBQ:
	case ZYDIS_MNEMONIC_VPSUBB:
	case ZYDIS_MNEMONIC_VPSUBW:
	case ZYDIS_MNEMONIC_VPSUBD:
	case ZYDIS_MNEMONIC_VPSUBQ:
	case ZYDIS_MNEMONIC_PCMPGTB:
	case ZYDIS_MNEMONIC_PCMPGTW:
	case ZYDIS_MNEMONIC_PCMPGTD:
	case ZYDIS_MNEMONIC_VPCMPGTB:
	case ZYDIS_MNEMONIC_VPCMPGTW:
	case ZYDIS_MNEMONIC_VPCMPGTD:
		return true;
	default:
		return false;
	}
}

static bool is_ones_idiom(ZydisMnemonic mnemonic) {
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_PCMPEQB:
	case ZYDIS_MNEMONIC_PCMPEQW:
	case ZYDIS_MNEMONIC_PCMPEQD:
	case ZYDIS_MNEMONIC_VPCMPEQB:
	case ZYDIS_MNEMONIC_VPCMPEQW:
	case ZYDIS_MNEMONIC_VPCMPEQD:
		return true;
	default:
		return false;
	}
}

/* The last two visible operands, masks apart, are one register. */
static bool combines_itself(const struct decoded *decoded) {
	const unsigned count = decoded->insn.operand_count_visible;
	const ZydisDecodedOperand *b = &decoded->operands[count - 1], *a = b - 1;
	return count >= 2 && a->type == ZYDIS_OPERAND_TYPE_REGISTER && b->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       a->reg.value == b->reg.value &&
	       (b->size >= 32 || ZydisRegisterGetClass(b->reg.value) == ZYDIS_REGCLASS_MMX) &&
	       a->encoding != ZYDIS_OPERAND_ENCODING_MASK;
}

static bool is_vector_move(ZydisMnemonic mnemonic) {
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_MOVAPS:
	case ZYDIS_MNEMONIC_MOVUPS:
	case ZYDIS_MNEMONIC_MOVAPD:
	case ZYDIS_MNEMONIC_MOVUPD:
	case ZYDIS_MNEMONIC_MOVDQA:
	case ZYDIS_MNEMONIC_MOVDQU:
	case ZYDIS_MNEMONIC_VMOVAPS:
	case ZYDIS_MNEMONIC_VMOVUPS:
	case ZYDIS_MNEMONIC_VMOVAPD:
	case ZYDIS_MNEMONIC_VMOVUPD:
	case ZYDIS_MNEMONIC_VMOVDQA:
	case ZYDIS_MNEMONIC_VMOVDQU:
	case ZYDIS_MNEMONIC_VMOVDQA32:
	case ZYDIS_MNEMONIC_VMOVDQA64:
	case ZYDIS_MNEMONIC_VMOVDQU32:
	case ZYDIS_MNEMONIC_VMOVDQU64:
		return true;
	default:
		return false;
	}
}

static bool is_eliminated_move(const struct ifr_core *core, const struct decoded *decoded) {
	const ZydisDecodedOperand *to = &decoded->operands[0], *from = &decoded->operands[1];
	if (decoded->insn.operand_count_visible != 2 || to->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    from->type != ZYDIS_OPERAND_TYPE_REGISTER || decoded->set.reads.count != 1 ||
	    decoded->set.writes.count != 1)
		return false;
	if (is_vector_move(decoded->insn.mnemonic))
		return core->eliminates_vector_moves;
	const bool general = core->eliminates_moves && to->reg.value != from->reg.value && to->size >= 32;
	if (decoded->insn.mnemonic == ZYDIS_MNEMONIC_MOV)
		return general && from->size >= 32;
	const bool low = from->size == 8 && ZydisRegisterGetClass(from->reg.value) == ZYDIS_REGCLASS_GPR8 &&
	                 (from->reg.value < ZYDIS_REGISTER_AH || from->reg.value > ZYDIS_REGISTER_BH);
	return general && low && !ifr_core_is_amd(core) && decoded->insn.mnemonic == ZYDIS_MNEMONIC_MOVZX &&
	       register_of(from->reg.value) != register_of(to->reg.value);
}

enum idiom idiom_of(const struct ifr_core *core, const struct decoded *decoded) {
	const ZydisMnemonic mnemonic = decoded->insn.mnemonic;
	if (decoded->set.memory_count || decoded->set.merges)
		return IDIOM_NONE;
	if (is_zero_idiom(mnemonic) && combines_itself(decoded))
		return IDIOM_ZERO;
	if (is_ones_idiom(mnemonic) && combines_itself(decoded))
		return IDIOM_INDEPENDENT;
	return is_eliminated_move(core, decoded) ? IDIOM_MOVE : IDIOM_NONE;
}

/* --- pairs of instructions ----------------------------------------------------------------------------------- */

/* Kinds of instructions that fuse, by the flags that they write. */
enum fusible { FUSIBLE_NOT, FUSIBLE_TEST, FUSIBLE_COMPARE, FUSIBLE_ADD, FUSIBLE_INCREMENT, FUSIBLE_OTHER };

static enum fusible fusible_of(ZydisMnemonic mnemonic) {
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_TEST:
		return FUSIBLE_TEST;
	case ZYDIS_MNEMONIC_CMP:
		return FUSIBLE_COMPARE;
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		return FUSIBLE_ADD;
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
		return FUSIBLE_INCREMENT;
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_XOR:
		return FUSIBLE_OTHER;
	default:
		return FUSIBLE_NOT;
	}
}

enum condition { CONDITION_NONE, CONDITION_CARRY, CONDITION_ORDER, CONDITION_SIGN };

static enum condition condition_of(ZydisMnemonic mnemonic) {
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_JB:
	case ZYDIS_MNEMONIC_JNB:
	case ZYDIS_MNEMONIC_JBE:
	case ZYDIS_MNEMONIC_JNBE:
		return CONDITION_CARRY;
	case ZYDIS_MNEMONIC_JZ:
	case ZYDIS_MNEMONIC_JNZ:
	case ZYDIS_MNEMONIC_JL:
	case ZYDIS_MNEMONIC_JNL:
	case ZYDIS_MNEMONIC_JLE:
	case ZYDIS_MNEMONIC_JNLE:
		return CONDITION_ORDER;
	case ZYDIS_MNEMONIC_JS:
	case ZYDIS_MNEMONIC_JNS:
	case ZYDIS_MNEMONIC_JO:
	case ZYDIS_MNEMONIC_JNO:
	case ZYDIS_MNEMONIC_JP:
	case ZYDIS_MNEMONIC_JNP:
		return CONDITION_SIGN;
	default:
		return CONDITION_NONE; /* no jump, or one by rcx */
	}
}

/* Ref: Intel 64 and IA-32 Architectures Optimization Reference Manual, "Macro-fusion". */
static bool intel_fuses(enum fusible first, ZydisMnemonic mnemonic, enum condition condition) {
	switch (first) {
	case FUSIBLE_TEST:
		return true;
	case FUSIBLE_COMPARE:
		return condition != CONDITION_SIGN;
	case FUSIBLE_ADD:
		return mnemonic == ZYDIS_MNEMONIC_AND || condition != CONDITION_SIGN;
	case FUSIBLE_INCREMENT:
		return condition == CONDITION_ORDER;
	default:
		return false;
	}
}

/* Ref: AMD, Software Optimization Guides 56305 (Zen 2) and 56665 (Zen 3), "Branch fusion". */
static bool amd_fuses(const struct ifr_core *core, enum fusible first) {
	return first == FUSIBLE_TEST || first == FUSIBLE_COMPARE ||
	       (core->generation >= IFR_ZEN3 && first != FUSIBLE_NOT);
}

bool fuses_with(const struct ifr_core *core, const struct decoded *first, const struct decoded *jump) {
	const enum fusible kind = fusible_of(first->insn.mnemonic);
	const enum condition condition = condition_of(jump->insn.mnemonic);
	const bool immediate = first->insn.raw.imm[0].size, memory = first->set.memory_count;
	if (core->simulated || kind == FUSIBLE_NOT || condition == CONDITION_NONE ||
	    (memory && first->set.memories[0].write) || first->insn.attributes & ZYDIS_ATTRIB_HAS_LOCK)
		return false;
	if (ifr_core_is_amd(core)) /* not with an immediate and a displacement both */
		return amd_fuses(core, kind) && !(immediate && memory && first->insn.raw.disp.size);
	return !(immediate && memory) && intel_fuses(kind, first->insn.mnemonic, condition);
}

/* By the clock of a Zen 5 (tests/bench/instructions): behind neg, cmp, test, lea, movzx, cmov and loads there are two
 * slots. Assumed of or, dec, shr and sar, as of those that were tried. */
static bool changes_register(const struct decoded *decoded) {
	switch (decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
		return true;
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
		return decoded->operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	default:
		return false;
	}
}

bool joins_move(const struct ifr_core *core, const struct decoded *move, const struct decoded *next) {
	return core->generation == IFR_ZEN5 && move->insn.mnemonic == ZYDIS_MNEMONIC_MOV &&
	       idiom_of(core, move) == IDIOM_MOVE && changes_register(next) && !next->set.memory_count &&
	       idiom_of(core, next) == IDIOM_NONE && next->operands[0].reg.value == move->operands[0].reg.value;
}

/* --- pairs of operations ------------------------------------------------------------------------------------- */

/* Ref: Intel 64 and IA-32 Architectures Optimization Reference Manual, "Micro-fusion and unlamination" (Sandy Bridge,
 * Haswell). A. Fog, microarchitecture.pdf, Sandy Bridge, "Micro-op fusion". */
bool is_unlaminated(const struct ifr_core *core, const struct decoded *decoded,
                    const struct memory_operand *memory, bool store) {
	if (ifr_core_is_amd(core) || memory->index == IFR_REGISTER_NONE)
		return false;
	if (core->generation < IFR_HASWELL)
		return true;
	if (store)
		return memory->read;
	const bool updates = decoded->operands[0].actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	return memory->write || !updates || decoded->insn.operand_count_visible > 2;
}
