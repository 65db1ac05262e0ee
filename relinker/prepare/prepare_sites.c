/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sites from the relocations of the objects. */
#include <string.h>

#include "relinker/prepare/prepare_work.h"

void work_site(const struct work *work, enum site_kind kind, uint64_t offset, uint32_t target) {
	prepare_add_site(work->preparation, kind, work->at + offset, work->atom, target);
}

void work_pin(const struct work *work, enum pin_reason reason) {
	prepare_add_pin(work->preparation, work->atom, work->target.atom, reason);
}

static bool has_prefix(const char *name, const char *const *prefixes) {
	for (; *prefixes; prefixes++)
		if (ifr_starts_with(name, *prefixes))
			return true;
	return false;
}

bool work_in_sections(const struct preparation *preparation, uint64_t address, const char *const *prefixes) {
	const struct elf_view *output = &preparation->output;
	for (size_t i = 1; i < output->section_count; i++) {
		const Elf64_Shdr *section = &output->sections[i];
		if (section->sh_flags & SHF_ALLOC && address - section->sh_addr < section->sh_size &&
		    has_prefix(elf_view_name(output, section), prefixes))
			return true;
	}
	return false;
}

static bool in_plt(const struct preparation *preparation, uint64_t address) {
	static const char *const names[] = {".plt", ".iplt", NULL};
	return work_in_sections(preparation, address, names);
}

/* What the field stands for when it is symbol + addend (less its own place). */
static bool says(uint64_t value, uint64_t field, bool wide) {
	return wide ? value == field : (uint32_t)value == (uint32_t)field;
}

uint64_t work_load(const struct work *work, uint64_t offset, bool wide) {
	if (wide)
		return prepare_load64(work->preparation, work->at + offset);
	return (uint64_t)(int64_t)(int32_t)prepare_load32(work->preparation, work->at + offset);
}

/* Whether a target of unknown address is among what never moves. */
static bool stays(const struct work *work, uint64_t meant) {
	const struct target *target = &work->target;
	return !target->dropped && !target->unsure && !target->atom &&
	       (target->edited || !prepare_moves(work->preparation, meant));
}

void work_relative(struct work *work, uint64_t offset, bool wide) {
	const struct target *target = &work->target;
	uint64_t place = work->address + offset, field = work_load(work, offset, wide);
	uint64_t meant = field + place - work->addend;
	enum site_kind kind = wide ? PATCH_PC64 : PATCH_PC32;
	if (target->known && says(target->address + work->addend - place, field, wide))
		work_site(work, kind, offset, target->atom);
	else if (in_plt(work->preparation, meant) || stays(work, meant))
		work_site(work, kind, offset, 0);
	else if (!target->dropped)
		work_pin(work, PIN_BYTES);
}

void work_absolute(struct work *work, uint64_t offset, bool wide) {
	const struct target *target = &work->target;
	uint64_t field = work_load(work, offset, wide), meant = field - work->addend;
	if (target->known && says(target->address + work->addend, field, wide))
		work_site(work, wide ? PATCH_ABS64 : PATCH_ABS32, offset, target->atom);
	else if (target->dropped || in_plt(work->preparation, meant))
		return;
	else if (target->unsure || target->atom ||
	         (work->loaded && !target->edited && prepare_moves(work->preparation, meant)))
		work_pin(work, PIN_BYTES);
}

/* A word of data, that the dynamic linker may still have to fill in. */
static void word(struct work *work) {
	const struct target *target = &work->target;
	uint64_t address = work->address + work->offset, value = target->address + work->addend;
	struct dynamic *dynamic = work->loaded ? prepare_dynamic_at(work->preparation, address) : NULL;
	if (!dynamic) {
		work_absolute(work, work->offset, true);
		return;
	}
	dynamic->claimed = true;
	if (dynamic->type != R_X86_64_RELATIVE && dynamic->type != R_X86_64_IRELATIVE)
		return;
	if (target->known && dynamic->addend == value) {
		prepare_add_site(work->preparation, PATCH_ABS64, dynamic->at, 0, target->atom);
		if (work_load(work, work->offset, true) == value)
			work_site(work, PATCH_ABS64, work->offset, target->atom);
	} else if (target->atom || target->unsure ||
	           (!target->edited && prepare_moves(work->preparation, dynamic->addend - work->addend))) {
		if (!in_plt(work->preparation, dynamic->addend - work->addend))
			work_pin(work, PIN_BYTES);
	}
}

/* A field too narrow to hold another place. */
static void narrow(struct work *work) {
	if (work->target.atom && !(work->target.atom == work->atom))
		work_pin(work, PIN_NARROW);
}

/* Kinds whose value is no address: sizes, places in thread-local storage and in .got. */
static bool is_constant(uint32_t type) {
	switch (type) {
	case R_X86_64_NONE:
	case R_X86_64_DTPMOD64:
	case R_X86_64_DTPOFF64:
	case R_X86_64_DTPOFF32:
	case R_X86_64_TPOFF64:
	case R_X86_64_TPOFF32:
	case R_X86_64_SIZE32:
	case R_X86_64_SIZE64:
	case R_X86_64_TLSDESC_CALL:
	case R_X86_64_GOT32:
	case R_X86_64_GOT64:
		return true;
	default:
		return false;
	}
}

static void explain(struct work *work, uint32_t type) {
	switch (type) {
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		work_relative(work, work->offset, false);
		return;
	case R_X86_64_PC64:
		work_relative(work, work->offset, true);
		return;
	case R_X86_64_64:
		word(work);
		return;
	case R_X86_64_32:
	case R_X86_64_32S:
		work_absolute(work, work->offset, false);
		return;
	case R_X86_64_GOTPC32:
		work_site(work, PATCH_PC32, work->offset, 0);
		return;
	case R_X86_64_GOTPC64:
		work_site(work, PATCH_PC64, work->offset, 0);
		return;
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
		if (work->atom || work->offset >= 2)
			work_relaxable(work);
		else
			work_slot(work, work->offset, false);
		return;
	case R_X86_64_GOTPCREL64:
		work_slot(work, work->offset, true);
		return;
	case R_X86_64_GOTTPOFF:
	case R_X86_64_GOTPC32_TLSDESC:
		work_initial_tls(work);
		return;
	case R_X86_64_TLSGD:
		work_dynamic_tls(work, 4);
		return;
	case R_X86_64_TLSLD:
		work_dynamic_tls(work, 3);
		return;
	case R_X86_64_8:
	case R_X86_64_16:
	case R_X86_64_PC8:
	case R_X86_64_PC16:
		narrow(work);
		return;
	default:
		work_pin(work, PIN_KIND);
	}
}

static unsigned width_of(uint32_t type) {
	switch (type) {
	case R_X86_64_64:
	case R_X86_64_PC64:
	case R_X86_64_GOTPC64:
	case R_X86_64_GOTPCREL64:
		return 8;
	case R_X86_64_NONE:
	case R_X86_64_TLSDESC_CALL:
	case R_X86_64_8:
	case R_X86_64_PC8:
	case R_X86_64_16:
	case R_X86_64_PC16:
		return 0;
	default:
		return 4;
	}
}

static int read_relocations(struct preparation *preparation, const struct object *object, const Elf64_Shdr *table,
                            struct ifr_error *err) {
	const struct place *place = &object->places[table->sh_info];
	const Elf64_Shdr *section = &object->view.sections[table->sh_info];
	if (place->state == PLACE_DROPPED || !place->output || section->sh_type == SHT_NOBITS ||
	    place->output->sh_type == SHT_NOBITS || !strcmp(elf_view_name(&object->view, section), ".eh_frame"))
		return 0;
	uint64_t inside = place->address - place->output->sh_addr;
	size_t count;
	const Elf64_Rela *relas = elf_view_table(&object->view, table, sizeof *relas, &count);
	if (inside > place->output->sh_size || section->sh_size > place->output->sh_size - inside ||
	    section->sh_flags & SHF_COMPRESSED)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s of %s was changed by the linker",
		                elf_view_name(&object->view, section), object->file);
	struct work work = {
		.preparation = preparation,
		.object = object,
		.input = object->view.bytes + section->sh_offset,
		.output = preparation->output.bytes + place->output->sh_offset + inside,
		.bytes = section->sh_size,
		.at = place->output->sh_offset + inside,
		.address = place->address,
		.atom = place->atom < preparation->image->numbers.leading ? place->atom : 0,
		.loaded = section->sh_flags & SHF_ALLOC,
	};
	for (size_t i = 0; i < count; i++) {
		uint32_t type = (uint32_t)ELF64_R_TYPE(relas[i].r_info);
		work.offset = relas[i].r_offset;
		work.addend = (uint64_t)relas[i].r_addend;
		if (work.offset > work.bytes || width_of(type) > work.bytes - work.offset)
			return ifr_fail(err, IFR_E_ENVIRONMENT, "%s has a relocation outside of its section", object->file);
		bool skip = work.skip;
		work.skip = false;
		if (skip)
			continue;
		work.target = prepare_resolve(preparation, object, (uint32_t)ELF64_R_SYM(relas[i].r_info));
		if (!is_constant(type))
			explain(&work, type);
	}
	return 0;
}

int prepare_sites(struct preparation *preparation, struct ifr_error *err) {
	int result = 0;
	for (size_t i = 0; i < preparation->objects.count; i++) {
		const struct object *object = &preparation->objects.items[i];
		for (size_t k = 1; k < object->view.section_count && !result; k++) {
			const Elf64_Shdr *section = &object->view.sections[k];
			if (section->sh_type == SHT_REL && section->sh_size)
				result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s has relocations without addends", object->file);
			else if (section->sh_type == SHT_RELA && section->sh_info < object->view.section_count)
				result = read_relocations(preparation, object, section, err);
		}
	}
	return result;
}
