/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses for the loader: relocations, dynamic tags, entry point. As addresses move, they are compared by name,
 * each as a text such as "_ZTV5Shape+0x10 8 _ZN5Shape4drawEv+0x0" (location, type, target); an address without a
 * symbol is named by its section. Both lists are sorted; the first text that one list lacks is the finding. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"
#include "harness/verify/checks.h"

static void name_address(const struct verify_image *image, uint64_t address, struct ifr_buffer *text) {
	const struct image_symbol *symbol = image_symbol_at(image, address);
	const struct image_section *section = image_section_at(image, address);
	if (symbol)
		ifr_buffer_printf(text, "%s+0x%" PRIx64, symbol->name, address - symbol->value);
	else
		ifr_buffer_puts(text, section ? section->name : "no section");
}

/* Appends the name of an address to text, and to finding if it lies outside the image. */
static void append_address(const struct verify_image *image, const char *what, uint64_t address,
                           struct ifr_buffer *text, struct ifr_buffer *finding) {
	if (!finding->length && !image_loads(image, address))
		ifr_buffer_printf(finding, "%s leads outside the image, to 0x%" PRIx64, what, address);
	name_address(image, address, text);
}

static const char *symbol_name(const struct verify_image *image, const struct image_section *relocations,
                               uint64_t number) {
	size_t table = relocations->header.sh_link;
	GElf_Sym symbol;
	if (!number || table >= image->section_count || !image->sections[table].data ||
	    !gelf_getsym(image->sections[table].data, (int)number, &symbol))
		return "";
	const char *name = elf_strptr(image->elf, image->sections[table].header.sh_link, symbol.st_name);
	return name ? name : "";
}

static void list_rela(const struct verify_image *image, const struct image_section *section,
                      struct ifr_strings *list, struct ifr_buffer *finding) {
	size_t count = section->data ? section->data->d_size / sizeof(Elf64_Rela) : 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Rela rela;
		struct ifr_buffer text = {0};
		if (!gelf_getrela(section->data, (int)i, &rela))
			break;
		if (image_adds_name(symbol_name(image, section, GELF_R_SYM(rela.r_info))))
			continue;
		unsigned type = GELF_R_TYPE(rela.r_info);
		append_address(image, "the place of a relocation", rela.r_offset, &text, finding);
		ifr_buffer_printf(&text, " %u ", type);
		if (type == R_X86_64_RELATIVE || type == R_X86_64_IRELATIVE)
			append_address(image, "a relocation", (uint64_t)rela.r_addend, &text, finding);
		else
			ifr_buffer_printf(&text, "%s%+" PRId64, symbol_name(image, section, GELF_R_SYM(rela.r_info)),
			                  (int64_t)rela.r_addend);
		ifr_strings_take(list, ifr_buffer_detach(&text));
	}
}

static void add_packed(const struct verify_image *image, uint64_t address, struct ifr_strings *list,
                       struct ifr_buffer *finding) {
	const struct image_section *section = image_section_at(image, address);
	struct ifr_buffer text = {0};
	uint64_t target;
	append_address(image, "the place of a packed relocation", address, &text, finding);
	ifr_buffer_puts(&text, " packed ");
	uint64_t offset = section ? address - section->header.sh_addr : 0;
	if (section && section->data && offset + sizeof target <= section->data->d_size) {
		memcpy(&target, (const char *)section->data->d_buf + offset, sizeof target);
		append_address(image, "a packed relocation", target, &text, finding);
	}
	ifr_strings_take(list, ifr_buffer_detach(&text));
}

/* An even word is an address; an odd word is a bitmap of the 63 words that follow. Ref: System V gABI, "Relative
 * relocation table". */
static void list_relr(const struct verify_image *image, const struct image_section *section,
                      struct ifr_strings *list, struct ifr_buffer *finding) {
	enum { WORD_BYTES = 8, MAPPED = 63 };
	size_t count = section->data ? section->data->d_size / WORD_BYTES : 0;
	uint64_t next = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t word;
		memcpy(&word, (const char *)section->data->d_buf + i * WORD_BYTES, sizeof word);
		if (!(word & 1)) {
			add_packed(image, word, list, finding);
			next = word + WORD_BYTES;
			continue;
		}
		for (unsigned bit = 0; bit < MAPPED; bit++)
			if (word >> (bit + 1) & 1)
				add_packed(image, next + bit * WORD_BYTES, list, finding);
		next += MAPPED * WORD_BYTES;
	}
}

static bool is_address_tag(int64_t tag) {
	static const int64_t tags[] = {
		DT_INIT,   DT_FINI, DT_INIT_ARRAY, DT_FINI_ARRAY, DT_PREINIT_ARRAY, DT_HASH,    DT_GNU_HASH, DT_STRTAB,
		DT_SYMTAB, DT_RELA, DT_RELR,       DT_JMPREL,     DT_PLTGOT,        DT_VERNEED, DT_VERDEF,   DT_VERSYM};
	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
		if (tags[i] == tag)
			return true;
	return false;
}

static void list_dynamic(const struct verify_image *image, const struct image_section *section,
                         struct ifr_strings *list, struct ifr_buffer *finding) {
	size_t count = section->data ? section->data->d_size / sizeof(Elf64_Dyn) : 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Dyn entry;
		struct ifr_buffer text = {0};
		if (!gelf_getdyn(section->data, (int)i, &entry))
			break;
		ifr_buffer_printf(&text, "tag 0x%" PRIx64 " ", (uint64_t)entry.d_tag);
		if (is_address_tag(entry.d_tag))
			append_address(image, "a dynamic tag", entry.d_un.d_ptr, &text, finding);
		ifr_strings_take(list, ifr_buffer_detach(&text));
	}
}

static int by_text(const void *left, const void *right) {
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Lists all addresses for the loader, sorted by their texts. */
static void list_addresses(const struct verify_image *image, struct ifr_strings *list,
                           struct ifr_buffer *finding) {
	struct ifr_buffer entry = {0};
	ifr_buffer_puts(&entry, "entry point ");
	if (image->header.e_entry)
		append_address(image, "the entry point", image->header.e_entry, &entry, finding);
	ifr_strings_take(list, ifr_buffer_detach(&entry));
	for (size_t i = 0; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];
		if (!(section->header.sh_flags & SHF_ALLOC))
			continue;
		if (section->header.sh_type == SHT_RELA)
			list_rela(image, section, list, finding);
		else if (section->header.sh_type == SHT_RELR)
			list_relr(image, section, list, finding);
		else if (section->header.sh_type == SHT_DYNAMIC)
			list_dynamic(image, section, list, finding);
	}
	qsort(list->items, list->count, sizeof *list->items, by_text);
}

static void compare_lists(const struct ifr_strings *wanted, const struct ifr_strings *got,
                          struct ifr_buffer *finding) {
	size_t i = 0;
	while (i < wanted->count && i < got->count && !strcmp(wanted->items[i], got->items[i]))
		i++;
	if (i < got->count && (i == wanted->count || strcmp(got->items[i], wanted->items[i]) < 0))
		ifr_buffer_printf(finding, "\"%.160s\" is not in the program", got->items[i]);
	else if (i < wanted->count)
		ifr_buffer_printf(finding, "the program's \"%.160s\" is missing", wanted->items[i]);
}

void check_addresses(const struct verify_image *base, const struct verify_image *variant,
                     struct ifr_buffer *finding) {
	struct ifr_strings wanted = {0}, got = {0};
	struct ifr_buffer own = {0};
	list_addresses(base, &wanted, &own);
	list_addresses(variant, &got, finding);
	/* Undefined weak symbols lead outside the image in the program itself, too. */
	if (own.length)
		ifr_buffer_clear(finding);
	if (!finding->length)
		compare_lists(&wanted, &got, finding);
	ifr_buffer_release(&own);
	ifr_strings_release(&wanted);
	ifr_strings_release(&got);
}
