/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/sections.h"

#include <stdlib.h>
#include <string.h>

#include "relinker/read/elf_view.h"

static void add_section(struct sections *sections, const char *name, const Elf64_Shdr *header) {
	sections->items = ifr_realloc(sections->items, sections->count + 1, sizeof *sections->items);
	sections->items[sections->count++] =
		(struct section_place){ifr_strdup(name), header->sh_addr, header->sh_size};
}

int sections_read(struct sections *sections, const void *bytes, size_t length, const char *name,
                  struct ifr_error *err) {
	struct elf_view view;
	*sections = (struct sections){0};
	int result = elf_view_open(&view, bytes, length, name, err);
	for (size_t i = 1; !result && i < view.section_count; i++)
		if (view.sections[i].sh_flags & SHF_ALLOC)
			add_section(sections, elf_view_name(&view, &view.sections[i]), &view.sections[i]);
	return result;
}

void sections_release(struct sections *sections) {
	for (size_t i = 0; i < sections->count; i++)
		free(sections->items[i].name);
	free(sections->items);
	*sections = (struct sections){0};
}

const struct section_place *sections_find(const struct sections *sections, const char *name) {
	for (size_t i = 0; i < sections->count; i++)
		if (!strcmp(sections->items[i].name, name))
			return &sections->items[i];
	return NULL;
}

/* By how much the section at index moved; 0 also if the variant lacks it. */
static long long shift_of(const struct sections *base, size_t index, const struct sections *variant) {
	const struct section_place *old = &base->items[index], *new = sections_find(variant, old->name);
	return new ? (long long)(new->address - old->address) : 0;
}

/* Neighbours with the same shift are one entry: ".fini to .bss +4096". */
static void print_moved(const struct sections *base, const struct sections *variant, struct ifr_buffer *text) {
	const char *separator = "moved";
	for (size_t i = 0, end; i < base->count; i = end) {
		long long shift = shift_of(base, i, variant);
		for (end = i + 1; end < base->count && shift_of(base, end, variant) == shift;)
			end++;
		if (!shift)
			continue;
		ifr_buffer_printf(text, "%s %s", separator, base->items[i].name);
		if (end > i + 1)
			ifr_buffer_printf(text, " to %s", base->items[end - 1].name);
		ifr_buffer_printf(text, " %+lld", shift);
		separator = ",";
	}
	if (!strcmp(separator, "moved"))
		ifr_buffer_puts(text, "no section moved");
}

void sections_compare(const struct sections *base, const struct sections *variant, struct ifr_buffer *text) {
	const char *separator = "; resized";
	print_moved(base, variant, text);
	for (size_t i = 0; i < base->count; i++) {
		const struct section_place *old = &base->items[i], *new = sections_find(variant, old->name);
		if (!new || new->bytes == old->bytes)
			continue;
		ifr_buffer_printf(text, "%s %s %+lld", separator, old->name, (long long)(new->bytes - old->bytes));
		separator = ",";
	}
}
