/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patch sites from the relocations of the objects.
 *
 * Problem: the linked program has no relocations any more. Those of the objects say which fields hold addresses,
 * but the linker may have changed the instruction or the symbol: relaxed code, entries of .plt, dropped COMDAT
 * copies.
 *
 * Idea: each relocation implies a value, symbol + addend (- address of the field). If the field in the program
 * holds it, the field is a patch site with the symbol's atom as its target. If the field holds an address that
 * never moves, such as an entry of .plt, only its own atom counts. Otherwise the relocation pins the units of both
 * atoms.
 *
 * Invariant: no field is patched on trust. A field that the rules do not explain costs the freedom of two units,
 * never a wrong byte. */
#include <string.h>

#include "relinker/prepare/prepare_relocation.h"

/* Patches a word of data, which a dynamic relocation can fill at run time. */
static void patch_word(struct relocation *relocation) {
	const struct target *target = &relocation->target;
	uint64_t address = relocation->address + relocation->offset, value = target->address + relocation->addend;
	struct dynamic *dynamic = relocation->loaded ? prepare_dynamic_at(relocation->preparation, address) : NULL;
	if (!dynamic) {
		relocation_patch_absolute(relocation, relocation->offset, true);
		return;
	}
	dynamic->claimed = true;
	if (dynamic->type != R_X86_64_RELATIVE && dynamic->type != R_X86_64_IRELATIVE)
		return;
	if (target->known && dynamic->addend == value) {
		prepare_add_patch_site(relocation->preparation, PATCH_ABS64, dynamic->at, 0, target->atom);
		if (relocation_load(relocation, relocation->offset, true) == value)
			relocation_add_patch_site(relocation, PATCH_ABS64, relocation->offset, target->atom);
	} else if (target->atom || target->unsure ||
	           (!target->edited && prepare_moves(relocation->preparation, dynamic->addend - relocation->addend))) {
		if (!prepare_in_plt(relocation->preparation, dynamic->addend - relocation->addend))
			relocation_pin(relocation, PIN_BYTES);
	}
}

/* Pins the units of a field that is too narrow for other addresses. */
static void pin_narrow(struct relocation *relocation) {
	if (relocation->target.atom && !(relocation->target.atom == relocation->atom))
		relocation_pin(relocation, PIN_NARROW);
}

/* Relocation types whose value is no address: sizes, offsets in thread-local storage and in .got. */
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

static void patch_field(struct relocation *relocation, uint32_t type) {
	switch (type) {
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		relocation_patch_relative(relocation, relocation->offset, false);
		return;
	case R_X86_64_PC64:
		relocation_patch_relative(relocation, relocation->offset, true);
		return;
	case R_X86_64_64:
		patch_word(relocation);
		return;
	case R_X86_64_32:
	case R_X86_64_32S:
		relocation_patch_absolute(relocation, relocation->offset, false);
		return;
	case R_X86_64_GOTPC32:
		relocation_add_patch_site(relocation, PATCH_PC32, relocation->offset, 0);
		return;
	case R_X86_64_GOTPC64:
		relocation_add_patch_site(relocation, PATCH_PC64, relocation->offset, 0);
		return;
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
		if (relocation->atom || relocation->offset >= 2)
			relocation_patch_relaxable(relocation);
		else
			relocation_patch_slot(relocation, relocation->offset, false);
		return;
	case R_X86_64_GOTPCREL64:
		relocation_patch_slot(relocation, relocation->offset, true);
		return;
	case R_X86_64_GOTTPOFF:
	case R_X86_64_GOTPC32_TLSDESC:
		relocation_patch_initial_tls(relocation);
		return;
	case R_X86_64_TLSGD:
		relocation_patch_dynamic_tls(relocation, 4);
		return;
	case R_X86_64_TLSLD:
		relocation_patch_dynamic_tls(relocation, 3);
		return;
	case R_X86_64_8:
	case R_X86_64_16:
	case R_X86_64_PC8:
	case R_X86_64_PC16:
		pin_narrow(relocation);
		return;
	default:
		relocation_pin(relocation, PIN_KIND);
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
	struct relocation relocation = {
		.preparation = preparation,
		.object = object,
		.input = object->view.bytes + section->sh_offset,
		.output = preparation->program.bytes + place->output->sh_offset + inside,
		.bytes = section->sh_size,
		.at = place->output->sh_offset + inside,
		.address = place->address,
		.atom = place->atom < preparation->image->numbers.leading ? place->atom : 0,
		.loaded = section->sh_flags & SHF_ALLOC,
	};
	for (size_t i = 0; i < count; i++) {
		uint32_t type = (uint32_t)ELF64_R_TYPE(relas[i].r_info);
		relocation.offset = relas[i].r_offset;
		relocation.addend = (uint64_t)relas[i].r_addend;
		if (relocation.offset > relocation.bytes || width_of(type) > relocation.bytes - relocation.offset)
			return ifr_fail(err, IFR_E_ENVIRONMENT, "%s has a relocation outside of its section", object->file);
		bool skip = relocation.skip;
		relocation.skip = false;
		if (skip)
			continue;
		relocation.target = prepare_resolve(preparation, object, (uint32_t)ELF64_R_SYM(relas[i].r_info));
		if (!is_constant(type))
			patch_field(&relocation, type);
	}
	return 0;
}

int prepare_patch_sites(struct preparation *preparation, struct ifr_error *err) {
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
