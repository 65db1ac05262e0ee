/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: a recording says where in the stack an access went, not to which variable; where a frame begins depends on all
 * callers.
 * Idea: an instruction names its operand by a register and a displacement. The frame table says how far that register is
 * from the frame's canonical address (CFA) at that instruction, and debug information how far each variable is. Both
 * distances are constants.
 * Invariant: only the register that the frame table itself uses counts; for any other, the distance is not known. */
#include "harness/code/variables.h"

#include <Zydis/Zydis.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "harness/code/source.h"

enum { DWARF_RBP = 6, DWARF_RSP = 7 };

/* A memory operand: displacement from a register, by its number in DWARF. */
struct operand {
	int64_t displacement;
	int base;     /* -1: another register, or none */
	bool indexed; /* an index is added: the access lies somewhere in what begins at the displacement */
};

/* The object that holds an address, whatever marks without a size, such as __bss_start, begin there, too. */
static bool find_object(Dwfl_Module *module, uint64_t address, struct ifr_global *global) {
	const int count = dwfl_module_getsymtab(module);
	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr start;
		const char *name = dwfl_module_getsym_info(module, i, &symbol, &start, NULL, NULL, NULL);
		if (name && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && start <= address &&
		    address - start < symbol.st_size) {
			*global = (struct ifr_global){name, start, symbol.st_size};
			return true;
		}
	}
	return false;
}

bool ifr_source_find_global(struct ifr_source *source, uint64_t address, struct ifr_global *global) {
	GElf_Sym symbol;
	GElf_Off offset = 0;
	global->name = dwfl_module_addrinfo(source->module, address, &offset, &symbol, NULL, NULL, NULL);
	if (!global->name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || offset >= symbol.st_size)
		return find_object(source->module, address, global);
	global->start = address - offset;
	global->bytes = symbol.st_size;
	return true;
}

bool ifr_source_global(struct ifr_source *source, uint64_t address, struct ifr_buffer *text) {
	struct ifr_global global;
	if (!ifr_source_find_global(source, address, &global))
		return false;
	ifr_buffer_puts(text, global.name);
	if (address > global.start)
		ifr_buffer_printf(text, "+%llu", (unsigned long long)(address - global.start));
	return true;
}

/* --- the instruction ------------------------------------------------------------------------------------------- */

/* The file's bytes from an address on, up to `most`; NULL where there are none. */
static Elf_Data *find_code(struct ifr_source *source, uint64_t address, size_t most) {
	GElf_Addr bias;
	size_t headers = 0;
	Elf *elf = dwfl_module_getelf(source->module, &bias);
	if (!elf || elf_getphdrnum(elf, &headers))
		return NULL;
	for (size_t i = 0; i < headers; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD || address - bias < header.p_vaddr ||
		    address - bias - header.p_vaddr >= header.p_filesz)
			continue;
		const uint64_t into = address - bias - header.p_vaddr, left = header.p_filesz - into;
		return elf_getdata_rawchunk(elf, (int64_t)(header.p_offset + into), left < most ? left : most, ELF_T_BYTE);
	}
	return NULL;
}

static struct operand find_operand(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands) {
	for (unsigned i = 0; i < decoded->operand_count_visible; i++) {
		const ZydisDecodedOperand *operand = &operands[i];
		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		const ZydisRegister base = operand->mem.base;
		return (struct operand){.displacement = operand->mem.disp.value,
		                        .base = base == ZYDIS_REGISTER_RBP   ? DWARF_RBP
		                                : base == ZYDIS_REGISTER_RSP ? DWARF_RSP
		                                                             : -1,
		                        .indexed = operand->mem.index != ZYDIS_REGISTER_NONE};
	}
	return (struct operand){0, -1, false};
}

/* Decodes from a block's begin to the instruction that ends at end. */
static struct operand decode_operand(struct ifr_source *source, uint64_t block, uint64_t end, uint64_t *at) {
	const struct operand none = {0, -1, false};
	ZydisDecoder decoder;
	ZydisDecodedInstruction decoded;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	Elf_Data *code = end > block ? find_code(source, block, end - block) : NULL;
	if (!code || code->d_size < end - block)
		return none;
	const uint8_t *bytes = code->d_buf;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (uint64_t from = 0; from < end - block; from += decoded.length) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes + from, end - block - from, &decoded, operands)))
			return none;
		*at = block + from;
		if (from + decoded.length == end - block)
			return find_operand(&decoded, operands);
	}
	return none;
}

/* --- the frame ------------------------------------------------------------------------------------------------- */

/* The register and the offset from it at which an expression of one operation lies. */
static bool read_place(const Dwarf_Op *operations, size_t count, int *base, int64_t *offset) {
	if (count != 1)
		return false;
	if (operations->atom == DW_OP_bregx) {
		*base = (int)operations->number;
		*offset = (int64_t)operations->number2;
		return true;
	}
	if (operations->atom < DW_OP_breg0 || operations->atom > DW_OP_breg31)
		return false;
	*base = operations->atom - DW_OP_breg0;
	*offset = (int64_t)operations->number;
	return true;
}

/* CFA = base register + offset, at an instruction. */
static bool find_cfa(struct ifr_source *source, uint64_t at, int *base, int64_t *offset) {
	Dwarf_Addr bias;
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *operations;
	size_t count = 0;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(source->module, &bias);
	if (!cfi || dwarf_cfi_addrframe(cfi, at - bias, &frame))
		return false;
	const bool found = !dwarf_frame_cfa(frame, &operations, &count) && read_place(operations, count, base, offset);
	free(frame);
	return found;
}

/* The operand's distance from the frame base of the function: its CFA, or a register. */
static bool find_distance(struct ifr_source *source, Dwarf_Die *function, uint64_t at,
                          const struct operand *operand, Dwarf_Addr bias, int64_t *distance) {
	Dwarf_Attribute attribute;
	Dwarf_Op *operations;
	size_t count = 0;
	int base;
	int64_t offset;
	if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation_addr(&attribute, at - bias, &operations, &count, 1) != 1 || count != 1)
		return false;
	const bool known = operations->atom == DW_OP_call_frame_cfa ? find_cfa(source, at, &base, &offset)
	                                                            : read_place(operations, count, &base, &offset);
	*distance = operand->displacement - (known ? offset : 0);
	return known && base == operand->base;
}

static uint64_t size_of(Dwarf_Die *variable) {
	Dwarf_Attribute attribute;
	Dwarf_Die type;
	Dwarf_Word bytes = 0;
	if (!dwarf_attr_integrate(variable, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type) ||
	    dwarf_aggregate_size(&type, &bytes))
		return 1;
	return bytes;
}

/* Appends the variable of a scope that contains a distance from the frame base. */
static bool find_variable(Dwarf_Die *scope, uint64_t at, int64_t distance, bool indexed, struct ifr_buffer *text) {
	Dwarf_Die child;
	if (dwarf_child(scope, &child))
		return false;
	do {
		Dwarf_Attribute attribute;
		Dwarf_Op *operations;
		size_t count = 0;
		const int tag = dwarf_tag(&child);
		if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) ||
		    !dwarf_attr_integrate(&child, DW_AT_location, &attribute) ||
		    dwarf_getlocation_addr(&attribute, at, &operations, &count, 1) != 1 || count != 1 ||
		    operations->atom != DW_OP_fbreg)
			continue;
		const int64_t into = distance - (int64_t)operations->number;
		if (into < 0 || (uint64_t)into >= size_of(&child) || !dwarf_diename(&child))
			continue;
		ifr_buffer_puts(text, dwarf_diename(&child));
		if (indexed)
			ifr_buffer_puts(text, "[]");
		else if (into)
			ifr_buffer_printf(text, "+%lld", (long long)into);
		return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

bool ifr_source_local(struct ifr_source *source, uint64_t block, uint64_t end, struct ifr_buffer *text) {
	uint64_t at = 0;
	Dwarf_Addr bias = 0;
	Dwarf_Die *scopes = NULL;
	const struct operand operand = decode_operand(source, block, end, &at);
	Dwarf_Die *unit = operand.base < 0 ? NULL : dwfl_module_addrdie(source->module, at, &bias);
	const int count = unit ? dwarf_getscopes(unit, at - bias, &scopes) : 0;
	int64_t distance = 0;
	bool known = false, found = false;
	for (int i = 0; i < count && !known; i++)
		known = dwarf_tag(&scopes[i]) == DW_TAG_subprogram &&
		        find_distance(source, &scopes[i], at, &operand, bias, &distance);
	for (int i = 0; i < count && known && !found; i++)
		found = find_variable(&scopes[i], at - bias, distance, operand.indexed, text);
	free(scopes);
	return found;
}
