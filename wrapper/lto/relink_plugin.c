/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plugin for ld.bfd that replaces GCC's own when a kit repeats an -flto link.
 *
 * The plugin claims the same files as GCC's, but hands the linker the kept ltrans objects instead of compiling. It
 * starts no process and writes no file. Linking the ltrans objects alone would not give the shipped bytes: the
 * symbols of the claimed files decide which archive members are pulled in, and the order of the symbol table; many
 * of these symbols are gone from the ltrans objects.
 *
 * Options (-plugin-opt; others are ignored):
 *
 *     ltrans=FILE              an ltrans object, in link order
 *     -pass-through=-lNAME     a library to read behind the objects, as GCC's driver names it to its own plugin
 *     -pass-through=FILE       a library's file
 *
 * Ref: gcc.gnu.org/wiki/whopr/driver, "Linker plugin API"; binutils include/plugin-api.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/strings.h"
#include "wrapper/lto/ir_symbols.h"

static struct {
	ld_plugin_register_claim_file register_claim_file;
	ld_plugin_register_all_symbols_read register_all_symbols_read;
	ld_plugin_add_symbols add_symbols;
	ld_plugin_add_input_file add_input_file;
	ld_plugin_add_input_library add_input_library;
	ld_plugin_message message;
	bool has_symbol_types; /* add_symbols is its second version, which reads the symbols' types */
} linker;

static struct ifr_strings objects, libraries;
static bool claimed_any;

static enum ld_plugin_status claim_file(const struct ld_plugin_input_file *file, int *claimed) {
	struct ir_symbols symbols;
	*claimed = 0;
	enum ir_outcome outcome = ir_symbols_read(&symbols, file->fd, file->offset, file->filesize);
	if (outcome == IR_DAMAGED)
		return linker.message(LDPL_FATAL, "%s: its table of -flto symbols is damaged", file->name);
	if (outcome == IR_NONE)
		return LDPS_OK;
	*claimed = 1;
	claimed_any = true;
	/* The linker keeps pointers to the names: they live as long as the process. */
	return linker.add_symbols(file->handle, (int)symbols.count, symbols.items);
}

/* Adds an input file by a path relative to the current folder: ld would look for an absolute path below its sysroot
 * if the file that it read last lay there. */
static enum ld_plugin_status add_file(const char *path) {
	struct ifr_buffer name = {0};
	char *cwd = getcwd(NULL, 0);
	for (const char *at = cwd; *path == '/' && at && *at; at++)
		if (*at == '/' && at[1])
			ifr_buffer_puts(&name, "../");
	ifr_buffer_puts(&name, cwd && *path == '/' ? path + 1 : path);
	enum ld_plugin_status status = linker.add_input_file(ifr_buffer_text(&name));
	free(cwd);
	ifr_buffer_release(&name);
	return status;
}

static enum ld_plugin_status add_objects(void) {
	enum ld_plugin_status status = LDPS_OK;
	for (size_t i = 0; claimed_any && i < objects.count && status == LDPS_OK; i++)
		status = add_file(objects.items[i]);
	for (size_t i = 0; claimed_any && i < libraries.count && status == LDPS_OK; i++) {
		const char *library = libraries.items[i];
		status = ifr_starts_with(library, "-l") ? linker.add_input_library(library + 2) : add_file(library);
	}
	return status;
}

static void read_option(const char *option) {
	static const char object[] = "ltrans=", library[] = "-pass-through=";
	if (ifr_starts_with(option, object))
		ifr_strings_add(&objects, option + strlen(object));
	else if (ifr_starts_with(option, library))
		ifr_strings_add(&libraries, option + strlen(library));
}

/* Stores one entry of the linker's transfer vector. */
static void read_transfer_value(const struct ld_plugin_tv *tv) {
	switch (tv->tv_tag) {
	case LDPT_REGISTER_CLAIM_FILE_HOOK:
		linker.register_claim_file = tv->tv_u.tv_register_claim_file;
		break;
	case LDPT_REGISTER_ALL_SYMBOLS_READ_HOOK:
		linker.register_all_symbols_read = tv->tv_u.tv_register_all_symbols_read;
		break;
	case LDPT_ADD_SYMBOLS_V2:
		linker.add_symbols = tv->tv_u.tv_add_symbols;
		linker.has_symbol_types = true;
		break;
	case LDPT_ADD_SYMBOLS:
		if (!linker.has_symbol_types)
			linker.add_symbols = tv->tv_u.tv_add_symbols;
		break;
	case LDPT_ADD_INPUT_FILE:
		linker.add_input_file = tv->tv_u.tv_add_input_file;
		break;
	case LDPT_ADD_INPUT_LIBRARY:
		linker.add_input_library = tv->tv_u.tv_add_input_library;
		break;
	case LDPT_MESSAGE:
		linker.message = tv->tv_u.tv_message;
		break;
	case LDPT_OPTION:
		read_option(tv->tv_u.tv_string);
		break;
	default:
		break;
	}
}

__attribute__((visibility("default"))) enum ld_plugin_status onload(struct ld_plugin_tv *tv);

enum ld_plugin_status onload(struct ld_plugin_tv *tv) {
	for (; tv->tv_tag != LDPT_NULL; tv++)
		read_transfer_value(tv);
	if (!linker.register_claim_file || !linker.register_all_symbols_read || !linker.add_symbols ||
	    !linker.add_input_file || !linker.add_input_library || !linker.message)
		return LDPS_ERR;
	enum ld_plugin_status status = linker.register_claim_file(claim_file);
	return status == LDPS_OK ? linker.register_all_symbols_read(add_objects) : status;
}
