/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wrapper/lto/ir_symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/strings.h"

enum { ENTRY_TAIL_BYTES = 14, EXTENSION_VERSION = 1, EXTENSION_BYTES = 2 };

/* The bytes of a file that make an object file: an archive's member, or all. */
struct part {
	int fd;
	off_t offset;
	size_t size;
};

void ir_symbols_release(struct ir_symbols *symbols) {
	free(symbols->items);
	free(symbols->text);
	*symbols = (struct ir_symbols){0};
}

static bool read_at(const struct part *part, size_t at, size_t bytes, void *into) {
	if (at > part->size || bytes > part->size - at)
		return false;
	for (size_t done = 0; done < bytes;) {
		ssize_t got = pread(part->fd, (char *)into + done, bytes - done, part->offset + (off_t)(at + done));
		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		done += got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* A copy with a NUL behind it, which ends the last name of a damaged table; NULL if bytes are missing. */
static char *copy_at(const struct part *part, size_t at, size_t bytes) {
	if (at > part->size || bytes > part->size - at)
		return NULL;
	char *copy = ifr_alloc(bytes + 1);
	if (read_at(part, at, bytes, copy))
		return copy;
	free(copy);
	return NULL;
}

/* The section headers, *count of them; *names is the index of their names' section. NULL if unreadable. */
static Elf64_Shdr *read_sections(const struct part *part, size_t *count, size_t *names) {
	Elf64_Ehdr header;
	Elf64_Shdr first;
	if (!read_at(part, 0, sizeof header, &header) || memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    header.e_machine != EM_X86_64 || header.e_shentsize != sizeof first ||
	    !read_at(part, header.e_shoff, sizeof first, &first))
		return NULL;
	/* Numbers that do not fit into the ELF header stand in the first section header. */
	*count = header.e_shnum ? header.e_shnum : first.sh_size;
	*names = header.e_shstrndx == SHN_XINDEX ? first.sh_link : header.e_shstrndx;
	if (*count > part->size / sizeof first || *names >= *count)
		return NULL;
	return (Elf64_Shdr *)(void *)copy_at(part, header.e_shoff, *count * sizeof first);
}

/* Appends the contents of a section behind its first `skip` bytes. */
static bool append_section(const struct part *part, const Elf64_Shdr *section, size_t skip,
                           struct ifr_buffer *into) {
	char *copy = copy_at(part, section->sh_offset, section->sh_size);
	if (!copy)
		return false;
	/* An extension of another version is ignored. */
	if (section->sh_size >= skip && (!skip || *copy == EXTENSION_VERSION))
		ifr_buffer_append(into, copy + skip, section->sh_size - skip);
	free(copy);
	return true;
}

/* Joins the symbol tables, and their extensions. */
static enum ir_outcome read_tables(const struct part *part, struct ifr_buffer *table, struct ifr_buffer *more) {
	size_t count, names_at;
	Elf64_Shdr *sections = read_sections(part, &count, &names_at);
	if (!sections)
		return IR_NONE;
	size_t names_size = sections[names_at].sh_size;
	char *names = copy_at(part, sections[names_at].sh_offset, names_size);
	enum ir_outcome outcome = IR_NONE;
	for (size_t i = 1; names && i < count && outcome != IR_DAMAGED; i++) {
		const Elf64_Shdr *section = &sections[i];
		const char *name = section->sh_name < names_size ? names + section->sh_name : "";
		if (ifr_starts_with(name, ".gnu.lto_.symtab"))
			outcome = append_section(part, section, 0, table) ? IR_FOUND : IR_DAMAGED;
		else if (ifr_starts_with(name, ".gnu.lto_.ext_symtab"))
			outcome = append_section(part, section, 1, more) ? outcome : IR_DAMAGED;
	}
	free(names);
	free(sections);
	return outcome;
}

/* Parses one symbol at *at, which moves behind it. */
static bool parse_symbol(char **at, const char *end, struct ld_plugin_symbol *symbol) {
	static const char kinds[] = {LDPK_DEF, LDPK_WEAKDEF, LDPK_UNDEF, LDPK_WEAKUNDEF, LDPK_COMMON};
	static const int visibilities[] = {LDPV_DEFAULT, LDPV_PROTECTED, LDPV_INTERNAL, LDPV_HIDDEN};
	char *name = *at, *group = memchr(name, '\0', (size_t)(end - name));
	char *tail = group ? memchr(group + 1, '\0', (size_t)(end - group - 1)) : NULL;
	if (!tail || end - ++tail < ENTRY_TAIL_BYTES)
		return false;
	unsigned kind = (unsigned char)tail[0], visibility = (unsigned char)tail[1];
	if (kind >= sizeof kinds || visibility >= sizeof visibilities / sizeof *visibilities)
		return false;
	*symbol = (struct ld_plugin_symbol){
		.name = name,
		.def = kinds[kind],
		.visibility = visibilities[visibility],
		.comdat_key = group[1] ? group + 1 : NULL,
	};
	memcpy(&symbol->size, tail + 2, sizeof symbol->size);
	*at = tail + ENTRY_TAIL_BYTES;
	return true;
}

static bool parse_symbols(struct ir_symbols *symbols, size_t bytes, const struct ifr_buffer *more) {
	char *at = symbols->text, *end = at + bytes;
	symbols->items = ifr_realloc(NULL, bytes / (ENTRY_TAIL_BYTES + 2) + 1, sizeof *symbols->items);
	for (; at < end; symbols->count++)
		if (!parse_symbol(&at, end, &symbols->items[symbols->count]))
			return false;
	for (size_t i = 0; i < symbols->count && (i + 1) * EXTENSION_BYTES <= more->length; i++) {
		symbols->items[i].symbol_type = more->data[i * EXTENSION_BYTES];
		symbols->items[i].section_kind = more->data[i * EXTENSION_BYTES + 1];
	}
	return true;
}

static int strength(const struct ld_plugin_symbol *symbol) {
	return symbol->def == LDPK_UNDEF || symbol->def == LDPK_WEAKUNDEF ? 0 : symbol->def == LDPK_WEAKDEF ? 1 : 2;
}

static int by_name(const void *a, const void *b) {
	const struct ld_plugin_symbol *x = *(struct ld_plugin_symbol *const *)a;
	const struct ld_plugin_symbol *y = *(struct ld_plugin_symbol *const *)b;
	int order = strcmp(x->name, y->name);
	return order ? order : (x > y) - (x < y);
}

/* Keeps one symbol a name: the strongest, at the position of the first. "ld -r" leaves several tables in one object
 * file, in which names repeat; GCC's own plugin does the same. */
static void merge_duplicates(struct ir_symbols *symbols) {
	struct ld_plugin_symbol **sorted = ifr_alloc((symbols->count + 1) * sizeof(struct ld_plugin_symbol *));
	for (size_t i = 0; i < symbols->count; i++)
		sorted[i] = &symbols->items[i];
	qsort(sorted, symbols->count, sizeof *sorted, by_name);
	struct ld_plugin_symbol *first = NULL;
	for (size_t i = 0; i < symbols->count; i++) {
		if (!first || strcmp(first->name, sorted[i]->name)) {
			first = sorted[i];
			continue;
		}
		if (strength(first) < strength(sorted[i]))
			*first = *sorted[i];
		sorted[i]->name = NULL;
	}
	free(sorted);
	size_t kept = 0;
	for (size_t i = 0; i < symbols->count; i++)
		if (symbols->items[i].name)
			symbols->items[kept++] = symbols->items[i];
	symbols->count = kept;
}

enum ir_outcome ir_symbols_read(struct ir_symbols *symbols, int fd, off_t offset, off_t size) {
	struct part part = {fd, offset, size > 0 ? (size_t)size : 0};
	struct ifr_buffer table = {0}, more = {0};
	*symbols = (struct ir_symbols){0};
	enum ir_outcome outcome = read_tables(&part, &table, &more);
	size_t bytes = table.length;
	symbols->text = ifr_buffer_detach(&table);
	if (outcome == IR_FOUND && !parse_symbols(symbols, bytes, &more))
		outcome = IR_DAMAGED;
	if (outcome == IR_FOUND)
		merge_duplicates(symbols);
	else
		ir_symbols_release(symbols);
	ifr_buffer_release(&more);
	return outcome;
}
