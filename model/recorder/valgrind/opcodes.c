/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ref: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, appendix A (opcode map). */
#include "model/recorder/valgrind/opcodes.h"

#include "model/replay/branch.h"

static Bool is_prefix(UChar byte) {
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3:
		return True;
	default:
		return (byte & 0xf0) == 0x40; /* REX */
	}
}

/* Position of the first opcode byte. */
static UInt skip_prefixes(const UChar *bytes, UInt length) {
	UInt at = 0;
	while (at + 1 < length && is_prefix(bytes[at]))
		at++;
	return at;
}

/* Signed number of the last 1 or 4 bytes. */
static Long displacement(const UChar *bytes, UInt length, UInt size) {
	const UChar *from = bytes + length - size;
	if (size == 1)
		return (Char)*from;
	return (Int)((UInt)from[0] | (UInt)from[1] << 8 | (UInt)from[2] << 16 | (UInt)from[3] << 24);
}

static UChar direct_branch(UChar kind, const UChar *bytes, UInt length, UInt size, Addr address, Addr *target) {
	*target = address + length + (Addr)displacement(bytes, length, size);
	return kind;
}

static UChar indirect_branch(UChar modrm) {
	switch (modrm >> 3 & 7) {
	case 2:
		return IFR_BRANCH_INDIRECT_CALL;
	case 4:
		return IFR_BRANCH_INDIRECT_JUMP;
	default:
		return IFR_BRANCH_NONE;
	}
}

UChar opcode_branch(const UChar *bytes, UInt length, Addr address, Addr *target) {
	const UInt at = skip_prefixes(bytes, length);
	const UChar code = bytes[at];
	*target = 0;
	if ((code & 0xf0) == 0x70 || (code >= 0xe0 && code <= 0xe3))
		return direct_branch(IFR_BRANCH_CONDITIONAL, bytes, length, 1, address, target);
	if (code == 0x0f && at + 1 < length && (bytes[at + 1] & 0xf0) == 0x80)
		return direct_branch(IFR_BRANCH_CONDITIONAL, bytes, length, 4, address, target);
	switch (code) {
	case 0xe8:
		return direct_branch(IFR_BRANCH_CALL, bytes, length, 4, address, target);
	case 0xe9:
		return direct_branch(IFR_BRANCH_JUMP, bytes, length, 4, address, target);
	case 0xeb:
		return direct_branch(IFR_BRANCH_JUMP, bytes, length, 1, address, target);
	case 0xc2:
	case 0xc3:
		return IFR_BRANCH_RETURN;
	case 0xff:
		return at + 1 < length ? indirect_branch(bytes[at + 1]) : IFR_BRANCH_NONE;
	default:
		return IFR_BRANCH_NONE;
	}
}

static Bool is_string_opcode(UChar code) {
	return (code >= 0xa4 && code <= 0xa7) || (code >= 0xaa && code <= 0xaf) || (code >= 0x6c && code <= 0x6f);
}

Bool opcode_is_repeated(const UChar *bytes, UInt length) {
	const UInt at = skip_prefixes(bytes, length);
	for (UInt i = 0; i < at; i++)
		if ((bytes[i] == 0xf2 || bytes[i] == 0xf3) && is_string_opcode(bytes[at]))
			return True;
	return False;
}

/* Opcodes of one byte that have no ModRM byte and load nonetheless. */
static Bool loads_by_itself(UChar code) {
	switch (code) {
	case 0x9d: /* popf */
	case 0xa0: /* mov al, [address] */
	case 0xa1:
	case 0xc2: /* ret */
	case 0xc3:
	case 0xc8: /* enter */
	case 0xc9: /* leave */
	case 0xca:
	case 0xcb:
	case 0xcf: /* iret */
	case 0xd7: /* xlat */
		return True;
	default:
		return (code & 0xf8) == 0x58 ||
		       (code >= 0xa4 && code <= 0xaf && code != 0xa8 && code != 0xa9); /* pop, strings */
	}
}

static Bool has_modrm(UChar code) {
	if (code < 0x40)
		return (code & 7) < 4;
	switch (code) {
	case 0x63:
	case 0x69:
	case 0x6b:
	case 0xc0:
	case 0xc1:
	case 0xc6:
	case 0xc7:
	case 0xf6:
	case 0xf7:
	case 0xfe:
	case 0xff:
		return True;
	default:
		return (code >= 0x80 && code <= 0x8f) || (code >= 0xd0 && code <= 0xd3) || (code >= 0xd8 && code <= 0xdf);
	}
}

/* Opcodes behind 0f whose memory operand is not loaded (prefetches, hints, nops), or that have no operand. */
static Bool loads_nothing_0f(UChar code) {
	return code == 0x05 || code == 0x0b || code == 0x0d || (code >= 0x18 && code <= 0x1f) || code == 0x31 ||
	       code == 0x77 || (code & 0xf0) == 0x80 || code == 0xa2 || (code & 0xf8) == 0xc8;
}

/* Returns the ModRM byte of an instruction that has one; NULL for others. */
static const UChar *find_modrm(const UChar *bytes, UInt length) {
	const UInt at = skip_prefixes(bytes, length);
	const UChar *end = bytes + length, *modrm = NULL, code = bytes[at],
				second = at + 1 < length ? bytes[at + 1] : 0;
	if (code == 0xc5) /* VEX of two and three bytes, EVEX: the opcode is behind them */
		modrm = bytes + at + 3;
	else if (code == 0xc4)
		modrm = bytes + at + 4;
	else if (code == 0x62)
		modrm = bytes + at + 5;
	else if (code == 0x0f)
		modrm = bytes + at + (second == 0x38 || second == 0x3a ? 3 : 2);
	else if (has_modrm(code))
		modrm = bytes + at + 1;
	return modrm && modrm < end ? modrm : NULL;
}

Bool opcode_is_relative(const UChar *bytes, UInt length) {
	const UChar *modrm = find_modrm(bytes, length);
	return modrm && (*modrm & 0xc7) == 0x05;
}

Bool opcode_may_load(const UChar *bytes, UInt length) {
	const UInt at = skip_prefixes(bytes, length);
	const UChar code = bytes[at], *modrm = find_modrm(bytes, length);
	if (code == 0x8d) /* lea */
		return False;
	if (code == 0x0f && at + 1 < length && loads_nothing_0f(bytes[at + 1]))
		return False;
	return loads_by_itself(code) || (modrm && *modrm < 0xc0);
}

/* Reads the memory operand at a ModRM byte. Nothing but its displacement follows. */
static void read_operand(const UChar *bytes, UInt length, const UChar *modrm, UChar rex,
                         struct opcode_address *address) {
	const UInt mod = *modrm >> 6, rm = *modrm & 7, low = rm == 4 ? modrm[1] & 7 : rm;
	address->base = (Int)(low | (rex & 1U) << 3);
	if (rm == 4) {
		address->index = (Int)((modrm[1] >> 3 & 7) | (rex & 2U) << 2);
		address->shift = modrm[1] >> 6;
	}
	if (address->index == 4)
		address->index = -1;
	if (mod == 0 && low == 5) {
		address->base = -1;
		address->relative = rm == 5;
	}
	if (mod == 1)
		address->displacement = displacement(bytes, length, 1);
	else if (mod == 2 || address->base < 0)
		address->displacement = displacement(bytes, length, 4);
}

Bool opcode_prefetch(const UChar *bytes, UInt length, struct opcode_address *address) {
	const UInt at = skip_prefixes(bytes, length);
	const UChar *modrm = find_modrm(bytes, length), rex = at && (bytes[at - 1] & 0xf0) == 0x40 ? bytes[at - 1] : 0;
	/* 0f 18 has four hints (nta, t0, t1, t2) and no-operations; 0f 0d is prefetch, prefetchw and prefetchwt1. */
	if (bytes[at] != 0x0f || !modrm || *modrm >= 0xc0 ||
	    !(bytes[at + 1] == 0x0d || (bytes[at + 1] == 0x18 && (*modrm >> 3 & 7) < 4)))
		return False;
	*address = (struct opcode_address){.base = -1, .index = -1};
	for (UInt i = 0; i < at; i++) {
		address->narrow |= bytes[i] == 0x67;
		if (bytes[i] == 0x64 || bytes[i] == 0x65)
			address->segment = bytes[i];
	}
	read_operand(bytes, length, modrm, rex, address);
	return True;
}
