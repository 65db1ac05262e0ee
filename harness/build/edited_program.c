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
	if (sections)
		return '\0';
	return loaded->bytes[offset];
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

/* The bytes of the file from an address on, up to the end of its segment; NULL where it is not loaded. */
static const char *bytes_at(const struct loaded *loaded, uint64_t address, size_t *count) {
	for (size_t i = 0; i < loaded->header.e_phnum; i++) {
		const Elf64_Phdr segment = segment_of(loaded, i);
		const uint64_t into = address - segment.p_vaddr;
		if (segment.p_type != PT_LOAD || address < segment.p_vaddr || into >= segment.p_filesz ||
		    segment.p_offset > loaded->length || segment.p_filesz > loaded->length - segment.p_offset)
			continue;
		*count = segment.p_filesz - into;
		return loaded->bytes + segment.p_offset + into;
	}
	return NULL;
}

/* The path on which the loader looks for libraries; "" without one. */
struct library_path {
	const char *text;
	bool first; /* DT_RPATH, which LD_LIBRARY_PATH does not precede; else DT_RUNPATH */
};

static struct library_path library_path_of(const struct loaded *loaded) {
	uint64_t strings = 0, path = 0;
	bool first = false;
	for (size_t i = 0; i < loaded->header.e_phnum; i++) {
		const Elf64_Phdr segment = segment_of(loaded, i);
		size_t count = 0;
		const char *at = segment.p_type == PT_DYNAMIC ? bytes_at(loaded, segment.p_vaddr, &count) : NULL;
		for (Elf64_Dyn entry; at && count >= sizeof entry; at += sizeof entry, count -= sizeof entry) {
			memcpy(&entry, at, sizeof entry);
			if (entry.d_tag == DT_NULL)
				break;
			if (entry.d_tag == DT_STRTAB)
				strings = entry.d_un.d_ptr;
			else if (entry.d_tag == DT_RUNPATH || (entry.d_tag == DT_RPATH && !path)) {
				path = entry.d_un.d_val;
				first = entry.d_tag == DT_RPATH;
			}
		}
	}
	size_t count = 0;
	const char *text = path ? bytes_at(loaded, strings + path, &count) : NULL;
	return text && memchr(text, '\0', count) ? (struct library_path){text, first}
	                                         : (struct library_path){"", false};
}

static bool same_library_path(const struct ifr_buffer *a, const struct ifr_buffer *b) {
	struct loaded x, y;
	return !open_loaded(a, &x) || !open_loaded(b, &y) ||
	       !strcmp(library_path_of(&x).text, library_path_of(&y).text);
}

/* Appends how LD_LIBRARY_PATH leads the variants to the libraries of an edited program. Nothing where it cannot: the
 * linked program has an RPATH that goes first, or the path is relative to the file or has a quote in it. */
static void advise_library_path(const struct ifr_buffer *edited, const struct ifr_buffer *linked,
                                struct ifr_buffer *text) {
	struct loaded x, y;
	if (!open_loaded(edited, &x) || !open_loaded(linked, &y))
		return;
	const struct library_path path = library_path_of(&x), before = library_path_of(&y);
	if (*path.text && strcmp(path.text, before.text) && !before.first && !strpbrk(path.text, "$'"))
		ifr_buffer_printf(text, " With --env 'LD_LIBRARY_PATH=%s', the variants find the same libraries.",
		                  path.text);
}

/* Links the program from its kit without any axis. */
static int link_again(const struct ifr_relinker *relinker, struct ifr_buffer *bytes) {
	struct ifr_relinker_layout *layout = NULL;
	struct ifr_plan plan;
	ifr_plan_init(&plan);
	int result = ifr_relinker_place(relinker, &plan, &layout, NULL);
	if (!result)
		result = ifr_relinker_apply(layout, bytes, NULL);
	ifr_relinker_layout_close(layout);
	return result;
}

/* Of a link that cannot be repeated byte for byte, as it was by another linker, only the library path is compared. */
static bool is_edited(const struct ifr_buffer *file, const struct ifr_kit *kit, const struct ifr_buffer *linked) {
	char digest[IFR_SHA256_HEX];
	ifr_sha256(ifr_buffer_text(linked), linked->length, digest);
	return strcmp(digest, kit->sha256) ? !same_library_path(file, linked) : !load_alike(file, linked);
}

static char *describe_edit(const char *program, const struct ifr_buffer *file, const struct ifr_buffer *linked) {
	struct ifr_buffer text = {0};
	ifr_buffer_printf(
		&text,
		"%s was edited after it was linked (by patchelf, or an RPATH at install?): its variants come from "
		"the link and lack the edit, and so the file is no layout among them. Give the linker what the "
		"edit does, such as -Wl,-rpath, or vary the file before it is edited.",
		program);
	advise_library_path(file, linked, &text);
	return ifr_buffer_detach(&text);
}

static char *describe_pinned(const char *program) {
	return ifr_format(
		"%s has a pinned layout (INTERFERO_LAYOUT, or interfero pin): its variants come from its plain "
		"link, and so the file is no layout among them.",
		program);
}

char *ifr_program_find_edit(const char *program, const struct ifr_kit *kit, const struct ifr_relinker *relinker) {
	struct ifr_buffer file = {0}, linked = {0};
	char digest[IFR_SHA256_HEX], *found = NULL;
	if (ifr_kit_is_pinned(program, kit))
		return describe_pinned(program);
	if (!ifr_file_read(program, 0, &file, NULL)) {
		ifr_sha256(ifr_buffer_text(&file), file.length, digest);
		if (strcmp(digest, kit->sha256) && !link_again(relinker, &linked) && is_edited(&file, kit, &linked))
			found = describe_edit(program, &file, &linked);
	}
	ifr_buffer_release(&linked);
	ifr_buffer_release(&file);
	return found;
}

int ifr_program_make_plain(const struct ifr_kit *kit, const char *path, struct ifr_error *err) {
	struct ifr_relinker *relinker = NULL;
	struct ifr_variant variant = {0};
	struct ifr_plan plan;
	ifr_plan_init(&plan);
	int result = ifr_relinker_open(kit, &relinker, err);
	if (!result)
		result = ifr_relinker_make(relinker, &plan, path, &variant, err);
	ifr_buffer_release(&variant.facts);
	ifr_relinker_close(relinker);
	return result;
}
