/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/build/edited_program.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "kit/kit.h"

/* A 64-bit ELF file in memory. */
struct loaded {
	const char *bytes;
	size_t length;
	Elf64_Ehdr header;
};

static bool open_loaded(const struct ifr_buffer *file, struct loaded *loaded) {
	*loaded = (struct loaded){.bytes = file->data, .length = file->length};
	if (file->length < sizeof loaded->header)
		return false;
	memcpy(&loaded->header, file->data, sizeof loaded->header);
	const Elf64_Ehdr *header = &loaded->header;
	return !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phoff <= file->length &&
	       (file->length - header->e_phoff) / sizeof(Elf64_Phdr) >= header->e_phnum;
}

static Elf64_Phdr segment_of(const struct loaded *loaded, size_t index) {
	Elf64_Phdr segment;
	memcpy(&segment, loaded->bytes + loaded->header.e_phoff + index * sizeof segment, sizeof segment);
	return segment;
}

/* A byte of the file as it counts: what strip rewrites, the place and number of sections, counts as 0. */
static char byte_at(const struct loaded *loaded, size_t offset) {
	const bool sections = (offset >= offsetof(Elf64_Ehdr, e_shoff) && offset < offsetof(Elf64_Ehdr, e_flags)) ||
	                      (offset >= offsetof(Elf64_Ehdr, e_shnum) && offset < sizeof(Elf64_Ehdr));
	return sections ? '\0' : loaded->bytes[offset];
}

static bool is_same_segment(const struct loaded *a, const struct loaded *b, size_t index) {
	const Elf64_Phdr x = segment_of(a, index), y = segment_of(b, index);
	if (x.p_type != y.p_type || x.p_type != PT_LOAD)
		return x.p_type == y.p_type;
	if (memcmp(&x, &y, sizeof x) || x.p_offset > a->length || x.p_filesz > a->length - x.p_offset ||
	    y.p_offset > b->length || y.p_filesz > b->length - y.p_offset)
		return false;
	for (size_t i = 0; i < x.p_filesz; i++)
		if (byte_at(a, x.p_offset + i) != byte_at(b, y.p_offset + i))
			return false;
	return true;
}

static bool load_alike(const struct ifr_buffer *a, const struct ifr_buffer *b) {
	struct loaded x, y;
	if (!open_loaded(a, &x) || !open_loaded(b, &y))
		return true;
	bool same = x.header.e_phnum == y.header.e_phnum && x.header.e_entry == y.header.e_entry;
	for (size_t i = 0; same && i < x.header.e_phnum; i++)
		same = is_same_segment(&x, &y, i);
	return same;
}

/* The program as its kit links it without any axis; false where that is not the captured link. */
static bool link_again(const struct ifr_kit *kit, const struct ifr_relinker *relinker, struct ifr_buffer *bytes) {
	struct ifr_relinker_layout *layout = NULL;
	struct ifr_plan plan;
	char digest[IFR_SHA256_HEX];
	ifr_plan_init(&plan);
	int result = ifr_relinker_place(relinker, &plan, &layout, NULL);
	if (!result)
		result = ifr_relinker_apply(layout, bytes, NULL);
	ifr_relinker_layout_close(layout);
	ifr_sha256(ifr_buffer_text(bytes), bytes->length, digest);
	return !result && !strcmp(digest, kit->sha256);
}

bool ifr_program_is_edited(const char *program, const struct ifr_kit *kit, const struct ifr_relinker *relinker) {
	struct ifr_buffer file = {0}, linked = {0};
	char digest[IFR_SHA256_HEX];
	bool edited = false;
	if (!ifr_file_read(program, 0, &file, NULL)) {
		ifr_sha256(ifr_buffer_text(&file), file.length, digest);
		edited = strcmp(digest, kit->sha256) && link_again(kit, relinker, &linked) && !load_alike(&file, &linked);
	}
	ifr_buffer_release(&file);
	ifr_buffer_release(&linked);
	return edited;
}

char *ifr_program_edit_warning(const char *program) {
	return ifr_format(
		"%s was edited after it was linked (by patchelf, or an RPATH at install?): its variants come from "
		"the link and lack the edit. Give the linker what the edit does, such as -Wl,-rpath, or vary the "
		"file before it is edited.",
		program);
}
