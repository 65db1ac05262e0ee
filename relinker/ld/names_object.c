/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object file of the axis names, written as bytes: five sections behind the header, then their table.
 *
 * Weak undefined functions cost a program nothing but their entries: the loader binds them to address 0 where it
 * binds at all, and nothing calls them. The note says that the object is fit for indirect-branch tracking and shadow
 * stacks; a link keeps these properties where all of its objects have them, so that this object never takes them away. */
#include "relinker/ld/names_object.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "relinker/relinker.h"

enum { NONE, TEXT, RELOCATIONS, SYMBOLS, STRINGS, PROPERTY, STACK, SECTIONS };
enum { FIELD_BYTES = 4 };

struct object {
	struct ifr_buffer part[SECTIONS]; /* contents */
	Elf64_Shdr header[SECTIONS];
};

/* jmp name@PLT, or jmp *name@GOTPCREL(%rip). */
static void add_jump(struct object *object, uint64_t number, bool by_got) {
	static const unsigned char direct[] = {0xe9}, indirect[] = {0xff, 0x25};
	struct ifr_buffer *text = &object->part[TEXT];
	ifr_buffer_append(text, by_got ? indirect : direct, by_got ? sizeof indirect : sizeof direct);
	const Elf64_Rela relocation = {.r_offset = text->length,
	                               .r_info = ELF64_R_INFO(number + 1, by_got ? R_X86_64_GOTPCREL : R_X86_64_PLT32),
	                               .r_addend = -FIELD_BYTES};
	ifr_buffer_append(text, "\0\0\0\0", FIELD_BYTES);
	ifr_buffer_append(&object->part[RELOCATIONS], &relocation, sizeof relocation);
}

static void add_symbol(struct object *object, uint64_t number, uint64_t longer) {
	struct ifr_buffer *strings = &object->part[STRINGS];
	const Elf64_Sym symbol = {.st_name = (Elf64_Word)strings->length,
	                          .st_info = ELF64_ST_INFO(STB_WEAK, STT_NOTYPE)};
	ifr_buffer_puts(strings, IFR_NAMES_PREFIX);
	for (uint64_t i = 0; i < longer; i++)
		ifr_buffer_puts(strings, "x");
	ifr_buffer_printf(strings, "%06" PRIu64, number);
	ifr_buffer_append(strings, "", 1);
	ifr_buffer_append(&object->part[SYMBOLS], &symbol, sizeof symbol);
}

/* Ref: System V ABI, AMD64 supplement, section "Program Property"; GNU_PROPERTY_X86_FEATURE_1_AND. */
static void add_property(struct ifr_buffer *note) {
	static const uint32_t words[] = {4,
	                                 16,
	                                 NT_GNU_PROPERTY_TYPE_0,
	                                 0x00554e47 /* "GNU" */,
	                                 GNU_PROPERTY_X86_FEATURE_1_AND,
	                                 4,
	                                 GNU_PROPERTY_X86_FEATURE_1_IBT | GNU_PROPERTY_X86_FEATURE_1_SHSTK,
	                                 0};
	ifr_buffer_append(note, words, sizeof words);
}

static void describe_section(struct object *object, int section, const char *name, Elf64_Shdr header) {
	header.sh_name = (Elf64_Word)object->part[STRINGS].length;
	object->header[section] = header;
	ifr_buffer_append(&object->part[STRINGS], name, strlen(name) + 1);
}

static void describe_sections(struct object *object) {
	describe_section(
		object, TEXT, NAMES_OBJECT_SECTION,
		(Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addralign = 1});
	describe_section(object, RELOCATIONS, ".rela" NAMES_OBJECT_SECTION,
	                 (Elf64_Shdr){.sh_type = SHT_RELA,
	                              .sh_flags = SHF_INFO_LINK,
	                              .sh_link = SYMBOLS,
	                              .sh_info = TEXT,
	                              .sh_addralign = 8,
	                              .sh_entsize = sizeof(Elf64_Rela)});
	describe_section(object, SYMBOLS, ".symtab",
	                 (Elf64_Shdr){.sh_type = SHT_SYMTAB,
	                              .sh_link = STRINGS,
	                              .sh_info = 1,
	                              .sh_addralign = 8,
	                              .sh_entsize = sizeof(Elf64_Sym)});
	describe_section(object, PROPERTY, ".note.gnu.property",
	                 (Elf64_Shdr){.sh_type = SHT_NOTE, .sh_flags = SHF_ALLOC, .sh_addralign = 8});
	describe_section(object, STACK, ".note.GNU-stack", (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_addralign = 1});
	describe_section(object, STRINGS, ".strtab", (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1});
}

static void write_file(struct object *object, struct ifr_buffer *file) {
	enum { ALIGNMENT = 8 };
	Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	                     .e_type = ET_REL,
	                     .e_machine = EM_X86_64,
	                     .e_version = EV_CURRENT,
	                     .e_ehsize = sizeof header,
	                     .e_shentsize = sizeof(Elf64_Shdr),
	                     .e_shnum = SECTIONS,
	                     .e_shstrndx = STRINGS};
	ifr_buffer_append(file, &header, sizeof header);
	for (int i = TEXT; i < SECTIONS; i++) {
		while (file->length % ALIGNMENT)
			ifr_buffer_append(file, "", 1);
		object->header[i].sh_offset = file->length;
		object->header[i].sh_size = object->part[i].length;
		ifr_buffer_append(file, ifr_buffer_text(&object->part[i]), object->part[i].length);
	}
	while (file->length % ALIGNMENT)
		ifr_buffer_append(file, "", 1);
	header.e_shoff = file->length;
	memcpy(file->data, &header, sizeof header);
	ifr_buffer_append(file, object->header, sizeof object->header);
}

void names_object_make(uint64_t symbols, uint64_t bytes, bool by_got, struct ifr_buffer *file) {
	static const Elf64_Sym none;
	struct object object = {0};
	ifr_buffer_append(&object.part[STRINGS], "", 1);
	ifr_buffer_append(&object.part[SYMBOLS], &none, sizeof none);
	for (uint64_t i = 0; i < symbols; i++) {
		add_symbol(&object, i, i ? 0 : bytes);
		add_jump(&object, i, by_got);
	}
	add_property(&object.part[PROPERTY]);
	describe_sections(&object);
	write_file(&object, file);
	for (int i = 0; i < SECTIONS; i++)
		ifr_buffer_release(&object.part[i]);
}
