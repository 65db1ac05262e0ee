/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/sections.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add(struct sections *sections, const char *name, const GElf_Shdr *header) {
	sections->items = ifr_realloc(sections->items, sections->count + 1, sizeof *sections->items);
	sections->items[sections->count++] =
		(struct section_place){ifr_strdup(name), header->sh_addr, header->sh_size};
}

int sections_read(struct sections *sections, const char *path, struct ifr_error *err) {
	*sections = (struct sections){0};
	elf_version(EV_CURRENT);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot open %s", path);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	size_t names = 0;
	int result = 0;
	if (!elf || elf_getshdrstrndx(elf, &names))
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "cannot read the sections of %s: %s", path, elf_errmsg(-1));
	for (Elf_Scn *section = NULL; !result && (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		if (name && header.sh_flags & SHF_ALLOC)
			add(sections, name, &header);
	}
	elf_end(elf);
	close(fd);
	return result;
}

void sections_release(struct sections *sections) {
	for (size_t i = 0; i < sections->count; i++)
		free(sections->items[i].name);
	free(sections->items);
	*sections = (struct sections){0};
}

static const struct section_place *find(const struct sections *sections, const char *name) {
	for (size_t i = 0; i < sections->count; i++)
		if (!strcmp(sections->items[i].name, name))
			return &sections->items[i];
	return NULL;
}

void sections_compare(const struct sections *base, const struct sections *variant, struct ifr_buffer *text) {
	struct ifr_buffer resized = {0};
	bool moved = false;
	for (size_t i = 0; i < base->count; i++) {
		const struct section_place *old = &base->items[i], *new = find(variant, old->name);
		if (!new)
			continue;
		if (new->address != old->address) {
			ifr_buffer_printf(text, "%s %s %+lld", moved ? "," : "moved", old->name,
			                  (long long)(new->address - old->address));
			moved = true;
		}
		if (new->bytes != old->bytes)
			ifr_buffer_printf(&resized, "%s %s %+lld", resized.length ? "," : "resized", old->name,
			                  (long long)(new->bytes - old->bytes));
	}
	if (!moved)
		ifr_buffer_puts(text, "no section moved");
	if (resized.length)
		ifr_buffer_printf(text, "; %s", ifr_buffer_text(&resized));
	ifr_buffer_release(&resized);
}
