/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading an ELF program, and searching its sections, symbols and frames by address. */
#include "harness/verify/image.h"

#include <stdlib.h>
#include <string.h>

#include "common/strings.h"
#include "kit/kit.h"
#include "relinker/relinker.h"

static int by_key(const void *left, const void *right) {
	const struct image_symbol *a = left, *b = right;
	int order = strcmp(a->name, b->name);
	if (!order)
		order = (a->type > b->type) - (a->type < b->type);
	if (!order)
		order = (a->binding > b->binding) - (a->binding < b->binding);
	if (!order)
		order = (a->size > b->size) - (a->size < b->size);
	if (!order)
		order = strcmp(a->file, b->file);
	return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Symbols of one address stay in the order of by_key. */
static int by_address(const void *left, const void *right) {
	const struct image_symbol *a = *(const struct image_symbol *const *)left;
	const struct image_symbol *b = *(const struct image_symbol *const *)right;
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return (a > b) - (a < b);
}

static bool read_sections(struct verify_image *image) {
	size_t names;
	if (elf_getshdrnum(image->elf, &image->section_count) || elf_getshdrstrndx(image->elf, &names))
		return false;
	/* libelf reports a table outside the file as no sections. */
	if (image->header.e_shoff && !image->section_count)
		return false;
	image->sections = ifr_alloc((image->section_count + 1) * sizeof *image->sections);
	for (size_t i = 0; i < image->section_count; i++) {
		struct image_section *section = &image->sections[i];
		Elf_Scn *scn = elf_getscn(image->elf, i);
		if (!scn || !gelf_getshdr(scn, &section->header))
			return false;
		section->name = elf_strptr(image->elf, names, section->header.sh_name);
		bool filled = section->header.sh_type != SHT_NULL && section->header.sh_type != SHT_NOBITS;
		section->data = filled && section->header.sh_size ? elf_getdata(scn, NULL) : NULL;
		if (!section->name || (filled && section->header.sh_size && (!section->data || !section->data->d_buf)))
			return false;
	}
	return true;
}

static bool read_segments(struct verify_image *image) {
	if (elf_getphdrnum(image->elf, &image->segment_count))
		return false;
	image->segments = ifr_alloc((image->segment_count + 1) * sizeof *image->segments);
	for (size_t i = 0; i < image->segment_count; i++) {
		const GElf_Phdr *segment = gelf_getphdr(image->elf, (int)i, &image->segments[i]);
		if (!segment || segment->p_filesz > image->bytes.length ||
		    segment->p_offset > image->bytes.length - segment->p_filesz)
			return false;
	}
	return true;
}

static bool read_symbols(struct verify_image *image, uint32_t type, struct image_symbols *symbols) {
	const struct image_section *section = NULL;
	for (size_t i = 0; i < image->section_count && !section; i++)
		if (image->sections[i].header.sh_type == type && image->sections[i].data)
			section = &image->sections[i];
	if (!section)
		return true;
	size_t count = section->data->d_size / sizeof(Elf64_Sym);
	const char *file = "";
	symbols->items = ifr_alloc((count + 1) * sizeof *symbols->items);
	for (size_t i = 0; i < count; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(section->data, (int)i, &symbol))
			return false;
		const char *name = elf_strptr(image->elf, section->header.sh_link, symbol.st_name);
		if (!name)
			return false;
		if (GELF_ST_TYPE(symbol.st_info) == STT_FILE)
			file = name;
		symbols->items[symbols->count++] = (struct image_symbol){
			.name = name,
			.file = GELF_ST_BIND(symbol.st_info) == STB_LOCAL ? file : "",
			.value = symbol.st_value,
			.size = symbol.st_size,
			.index = i,
			.section = symbol.st_shndx,
			.type = GELF_ST_TYPE(symbol.st_info),
			.binding = GELF_ST_BIND(symbol.st_info),
		};
	}
	qsort(symbols->items, count, sizeof *symbols->items, by_key);
	return true;
}

/* Lists functions and objects by address. */
static void sort_by_address(struct verify_image *image) {
	image->placed = ifr_alloc((image->symbols.count + 1) * sizeof(const struct image_symbol *));
	for (size_t i = 0; i < image->symbols.count; i++) {
		const struct image_symbol *symbol = &image->symbols.items[i];
		bool object = symbol->type == STT_OBJECT && symbol->size;
		if (symbol->section && symbol->section < SHN_LORESERVE && (object || image_symbol_is_function(symbol)))
			image->placed[image->placed_count++] = symbol;
	}
	qsort(image->placed, image->placed_count, sizeof(const struct image_symbol *), by_address);
}

bool verify_image_open(struct verify_image *image, struct ifr_buffer *bytes, struct ifr_buffer *why) {
	memset(image, 0, sizeof *image);
	image->bytes = *bytes;
	ifr_buffer_init(bytes);
	image->elf = ifr_elf_of_bytes(image->bytes.data, image->bytes.length);
	if (elf_kind(image->elf) != ELF_K_ELF || gelf_getclass(image->elf) != ELFCLASS64 ||
	    !gelf_getehdr(image->elf, &image->header)) {
		ifr_buffer_puts(why, "it is not a 64-bit ELF file");
		return false;
	}
	if (!read_sections(image) || !read_segments(image) || !read_symbols(image, SHT_SYMTAB, &image->symbols) ||
	    !read_symbols(image, SHT_DYNSYM, &image->dynamic_symbols)) {
		ifr_buffer_puts(why, "it is not a whole ELF file: a table or a section does not lie inside it");
		return false;
	}
	sort_by_address(image);
	if (!image_read_frames(image, image_section_named(image, ".eh_frame"))) {
		ifr_buffer_puts(why, ".eh_frame cannot be read");
		return false;
	}
	return true;
}

void verify_image_release(struct verify_image *image) {
	free(image->sections);
	free(image->segments);
	free(image->symbols.items);
	free(image->dynamic_symbols.items);
	free(image->placed);
	free(image->frames);
	elf_end(image->elf);
	ifr_buffer_release(&image->bytes);
	memset(image, 0, sizeof *image);
}

const struct image_section *image_section_named(const struct verify_image *image, const char *name) {
	for (size_t i = 0; i < image->section_count; i++)
		if (!strcmp(image->sections[i].name, name))
			return &image->sections[i];
	return NULL;
}

const struct image_section *image_section_at(const struct verify_image *image, uint64_t address) {
	for (size_t i = 0; i < image->section_count; i++) {
		const GElf_Shdr *header = &image->sections[i].header;
		bool template = header->sh_flags & SHF_TLS && header->sh_type == SHT_NOBITS;
		if (header->sh_flags & SHF_ALLOC && !template && address >= header->sh_addr &&
		    address - header->sh_addr < header->sh_size)
			return &image->sections[i];
	}
	return NULL;
}

bool image_loads(const struct verify_image *image, uint64_t address) {
	for (size_t i = 0; i < image->segment_count; i++) {
		const GElf_Phdr *segment = &image->segments[i];
		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address - segment->p_vaddr <= segment->p_memsz)
			return true;
	}
	return false;
}

bool image_adds_name(const char *name) {
	return ifr_starts_with(name, IFR_NAMES_PREFIX);
}

static void drop_names(struct image_symbols *symbols) {
	size_t kept = 0;
	for (size_t i = 0; i < symbols->count; i++)
		if (!image_adds_name(symbols->items[i].name))
			symbols->items[kept++] = symbols->items[i];
	symbols->count = kept;
}

/* Added symbols are undefined: the list by address has none of them. */
void image_drop_names(struct verify_image *image) {
	drop_names(&image->symbols);
	drop_names(&image->dynamic_symbols);
	image->placed_count = 0;
	free(image->placed);
	sort_by_address(image);
}

bool image_symbol_is_function(const struct image_symbol *symbol) {
	return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
}

const struct image_symbol *image_symbol_at(const struct verify_image *image, uint64_t address) {
	/* Only symbols written in assembly nest. */
	enum { NESTED_MAX = 64 };
	const struct image_symbol *const *placed = image->placed, *found = NULL;
	size_t low = 0, high = image->placed_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (placed[middle]->value <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low, tries = 0; i > 0 && tries < NESTED_MAX; i--, tries++) {
		const struct image_symbol *symbol = placed[i - 1];
		if (found && found->value != symbol->value)
			break;
		if (address - symbol->value < symbol->size)
			found = symbol;
	}
	/* Functions of the C library's start-up files have size 0. */
	for (size_t i = low; i > 0 && !found && placed[i - 1]->value == address; i--)
		found = placed[i - 1];
	return found;
}

const struct image_frame *image_frame_at(const struct verify_image *image, uint64_t address) {
	size_t low = 0, high = image->frame_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (image->frames[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i > 0 && i + 4 > low; i--)
		if (address - image->frames[i - 1].begin < image->frames[i - 1].bytes)
			return &image->frames[i - 1];
	return NULL;
}
