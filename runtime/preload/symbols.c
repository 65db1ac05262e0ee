/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the symbol table of the program's file: the file that runs, in which functions may have moved. */
#include "runtime/preload/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/heap.h"
#include "runtime/os.h"
#include "runtime/side.h"
#include "runtime/sites.h"

struct image {
	const char *bytes;
	size_t length;
	uintptr_t base; /* its address less that in the file */
};

/* A site by name. */
struct named_site {
	const char *name;
	size_t length;
	uintptr_t distance; /* of the return address from the function's begin; 0: any */
	unsigned offset;
};

/* The program comes first. */
static int find_base(struct dl_phdr_info *object, size_t size, void *data) {
	(void)size;
	((struct image *)data)->base = object->dlpi_addr;
	return 1;
}

static bool open_image(struct image *image) {
	struct stat facts = {0};
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *bytes = MAP_FAILED;
	if (fd >= 0 && !fstat(fd, &facts) && facts.st_size > (off_t)sizeof(ElfW(Ehdr)))
		bytes = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (bytes == MAP_FAILED)
		return false;
	image->bytes = bytes;
	image->length = (size_t)facts.st_size;
	dl_iterate_phdr(find_base, image);
	return true;
}

static bool has(const struct image *image, uint64_t offset, uint64_t bytes) {
	return offset <= image->length && bytes <= image->length - offset;
}

/* The section of an index, if the file holds all of it. */
static const ElfW(Shdr) * get_section(const struct image *image, size_t index) {
	const ElfW(Ehdr) *head = (const void *)image->bytes;
	if (index >= head->e_shnum || head->e_shentsize != sizeof(ElfW(Shdr)) || head->e_shoff % 8 ||
	    !has(image, head->e_shoff, (uint64_t)head->e_shnum * sizeof(ElfW(Shdr))))
		return NULL;
	const ElfW(Shdr) *section = (const ElfW(Shdr) *)(const void *)(image->bytes + head->e_shoff) + index;
	return section->sh_type != SHT_NOBITS && !has(image, section->sh_offset, section->sh_size) ? NULL : section;
}

static const ElfW(Shdr) * find_symbols(const struct image *image) {
	const ElfW(Ehdr) *head = (const void *)image->bytes;
	for (size_t i = 0; i < head->e_shnum; i++) {
		const ElfW(Shdr) *section = get_section(image, i);
		if (section && section->sh_type == SHT_SYMTAB && section->sh_entsize == sizeof(ElfW(Sym)) &&
		    !(section->sh_offset % 8))
			return section;
	}
	return NULL;
}

/* Whether a symbol is the site's function, or a clone of it (main.cold). */
static bool is_named(const struct named_site *site, const char *name, size_t most) {
	return most > site->length && !memcmp(name, site->name, site->length) &&
	       (!name[site->length] || (name[site->length] == '.' && !site->distance));
}

static bool add_site(const struct image *image, const ElfW(Sym) * symbol, const struct named_site *named) {
	const uintptr_t begin = image->base + symbol->st_value;
	struct site site = {begin + 1, begin + symbol->st_size + 1, named->offset};
	if (named->distance)
		site = (struct site){begin + named->distance, begin + named->distance + 1, named->offset};
	return sites_add(&site);
}

static bool find_site(const struct image *image, const struct named_site *site) {
	const ElfW(Shdr) *table = find_symbols(image), *names = table ? get_section(image, table->sh_link) : NULL;
	bool found = false;
	if (!names || names->sh_type == SHT_NOBITS)
		return false;
	const ElfW(Sym) *symbols = (const void *)(image->bytes + table->sh_offset);
	for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++)
		if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_shndx != SHN_UNDEF &&
		    symbols[i].st_name < names->sh_size &&
		    is_named(site, image->bytes + names->sh_offset + symbols[i].st_name,
		             names->sh_size - symbols[i].st_name))
			found |= add_site(image, &symbols[i], site);
	return found;
}

static void refuse(const struct named_site *site) {
	char name[64] = {0};
	memcpy(name, site->name, site->length < sizeof name - 1 ? site->length : sizeof name - 1);
	report_refuse("blocks: the program has no function", name);
}

void symbols_find_sites(void) {
	const int saved = errno;
	struct image image = {0};
	const bool opened = open_image(&image);
	const char *rest = heap_options.sites;
	for (unsigned i = 0; *rest; i++) {
		const size_t whole = strcspn(rest, ",");
		struct named_site site = {.name = rest, .length = strcspn(rest, "+,")};
		site.distance = site.length < whole ? strtoul(rest + site.length + 1, NULL, 16) : 0;
		site.offset =
			heap_options.site_offset < OS_PAGE_BYTES ? (unsigned)heap_options.site_offset : blocks_spread(i);
		if (!opened || !find_site(&image, &site))
			refuse(&site);
		rest += whole + (rest[whole] == ',');
	}
	if (opened)
		munmap((void *)(uintptr_t)image.bytes, image.length);
	errno = saved;
}
