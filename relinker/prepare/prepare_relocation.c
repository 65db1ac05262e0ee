/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields that hold a plain value, absolute or relative, and the steps that all forms of field share. */
#include <string.h>

#include "relinker/prepare/prepare_relocation.h"

void relocation_add_patch_site(const struct relocation *relocation, enum patch_kind kind, uint64_t offset,
                               uint32_t target) {
	prepare_add_patch_site(relocation->preparation, kind, relocation->at + offset, relocation->atom, target);
}

void relocation_pin(const struct relocation *relocation, enum pin_reason reason) {
	prepare_add_pin(relocation->preparation, relocation->atom, relocation->target.atom, reason);
}

static bool has_prefix(const char *name, const char *const *prefixes) {
	for (; *prefixes; prefixes++)
		if (ifr_starts_with(name, *prefixes))
			return true;
	return false;
}

bool prepare_in_sections(const struct preparation *preparation, uint64_t address, const char *const *prefixes) {
	const struct elf_view *program = &preparation->program;
	for (size_t i = 1; i < program->section_count; i++) {
		const Elf64_Shdr *section = &program->sections[i];
		if (section->sh_flags & SHF_ALLOC && address - section->sh_addr < section->sh_size &&
		    has_prefix(elf_view_name(program, section), prefixes))
			return true;
	}
	return false;
}

bool prepare_in_plt(const struct preparation *preparation, uint64_t address) {
	static const char *const names[] = {".plt", ".iplt", NULL};
	return prepare_in_sections(preparation, address, names);
}

/* Whether a field of 4 or 8 bytes holds a value. */
static bool field_is(uint64_t value, uint64_t field, bool wide) {
	return wide ? value == field : (uint32_t)value == (uint32_t)field;
}

uint64_t relocation_load(const struct relocation *relocation, uint64_t offset, bool wide) {
	if (wide)
		return prepare_load64(relocation->preparation, relocation->at + offset);
	return (uint64_t)(int64_t)(int32_t)prepare_load32(relocation->preparation, relocation->at + offset);
}

/* Whether a target of unknown address never moves. */
static bool target_stays(const struct relocation *relocation, uint64_t meant) {
	const struct target *target = &relocation->target;
	return !target->dropped && !target->unsure && !target->atom &&
	       (target->edited || !prepare_moves(relocation->preparation, meant));
}

void relocation_patch_relative(struct relocation *relocation, uint64_t offset, bool wide) {
	const struct target *target = &relocation->target;
	uint64_t place = relocation->address + offset, field = relocation_load(relocation, offset, wide);
	uint64_t meant = field + place - relocation->addend;
	enum patch_kind kind = wide ? PATCH_PC64 : PATCH_PC32;
	if (target->known && field_is(target->address + relocation->addend - place, field, wide))
		relocation_add_patch_site(relocation, kind, offset, target->atom);
	else if (prepare_in_plt(relocation->preparation, meant) || target_stays(relocation, meant))
		relocation_add_patch_site(relocation, kind, offset, 0);
	else if (!target->dropped)
		relocation_pin(relocation, PIN_BYTES);
}

void relocation_patch_absolute(struct relocation *relocation, uint64_t offset, bool wide) {
	const struct target *target = &relocation->target;
	uint64_t field = relocation_load(relocation, offset, wide), meant = field - relocation->addend;
	if (target->known && field_is(target->address + relocation->addend, field, wide))
		relocation_add_patch_site(relocation, wide ? PATCH_ABS64 : PATCH_ABS32, offset, target->atom);
	else if (target->dropped || prepare_in_plt(relocation->preparation, meant))
		return;
	else if (target->unsure || target->atom ||
	         (relocation->loaded && !target->edited && prepare_moves(relocation->preparation, meant)))
		relocation_pin(relocation, PIN_BYTES);
}
