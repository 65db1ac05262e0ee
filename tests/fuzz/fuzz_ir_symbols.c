/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbols of an object file with IR: for any file, all fields are valid and no name comes twice. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "wrapper/lto/ir_symbols.h"

int ifr_fuzz_one(const unsigned char *data, size_t size);

static int by_text(const void *a, const void *b) {
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check(const struct ir_symbols *symbols) {
	char **names = calloc(symbols->count + 1, sizeof *names);
	assert(names);
	for (size_t i = 0; i < symbols->count; i++) {
		const struct ld_plugin_symbol *symbol = &symbols->items[i];
		assert(symbol->def >= LDPK_DEF && symbol->def <= LDPK_COMMON);
		assert(symbol->visibility >= LDPV_DEFAULT && symbol->visibility <= LDPV_HIDDEN);
		assert(!symbol->comdat_key || *symbol->comdat_key);
		names[i] = symbol->name;
	}
	qsort(names, symbols->count, sizeof *names, by_text);
	for (size_t i = 1; i < symbols->count; i++)
		assert(strcmp(names[i - 1], names[i]));
	free(names);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	int fd = memfd_create("object", MFD_CLOEXEC);
	assert(fd >= 0);
	/* The object file lies behind other bytes, like an archive's member. */
	static const char before[] = "!<arch>\n";
	ssize_t wrote = write(fd, before, 8);
	assert(wrote == 8);
	wrote = write(fd, data, size);
	assert(wrote == (ssize_t)size);
	struct ir_symbols symbols;
	if (ir_symbols_read(&symbols, fd, 8, (off_t)size) == IR_FOUND)
		check(&symbols);
	else
		assert(!symbols.items && !symbols.count && !symbols.text);
	ir_symbols_release(&symbols);
	close(fd);
	return 0;
}
