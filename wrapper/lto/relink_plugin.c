/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plugin for ld.bfd that stands in for GCC's own when a kit of an -flto link is linked again: it claims the same
 * files and hands over the ltrans objects that were kept, in place of compiling. It starts nothing and writes
 * nothing.
 *
 * Without it the bytes that shipped would not come back: which archive members are pulled, and the order of the
 * symbol table, follow from the symbols of the claimed files, of which many are gone from the ltrans objects.
 *
 * Options (-plugin-opt): "ltrans=FILE", an ltrans object, in order; "-pass-through=-lNAME" or
 * "-pass-through=FILE", as GCC's driver gives them to its own plugin, read behind the objects. All else is
 * ignored.
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
	bool told_types; /* add_symbols is the second version, which looks at the symbols' types */
} linker;

static struct ifr_strings objects, libraries;
static bool claimed_any;

static enum ld_plugin_status claim(const struct ld_plugin_input_file *file, int *claimed) {
	struct ir_symbols symbols;
	*claimed = 0;
	enum ir_outcome outcome = ir_symbols_read(&symbols, file->fd, file->offset, file->filesize);
	if (outcome == IR_DAMAGED)
		return linker.message(LDPL_FATAL, "%s: its table of -flto symbols is damaged", file->name);
	if (outcome == IR_NONE)
		return LDPS_OK;
	*claimed = 1;
	claimed_any = true;
	/* The linker keeps the names: they are released with the process. */
	return linker.add_symbols(file->handle, (int)symbols.count, symbols.items);
}

/* ld looks for an absolute path below its sysroot when what it read last lay there: from the folder in which it
 * runs there is no such doubt. */
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

static enum ld_plugin_status hand_over(void) {
	enum ld_plugin_status status = LDPS_OK;
	for (size_t i = 0; claimed_any && i < objects.count && status == LDPS_OK; i++)
		status = add_file(objects.items[i]);
	for (size_t i = 0; claimed_any && i < libraries.count && status == LDPS_OK; i++) {
		const char *library = libraries.items[i];
		status = ifr_starts_with(library, "-l") ? linker.add_input_library(library + 2) : add_file(library);
	}
	return status;
}

static void take_option(const char *option) {
	static const char object[] = "ltrans=", library[] = "-pass-through=";
	if (ifr_starts_with(option, object))
		ifr_strings_add(&objects, option + strlen(object));
	else if (ifr_starts_with(option, library))
		ifr_strings_add(&libraries, option + strlen(library));
}

static void take(const struct ld_plugin_tv *tv) {
	switch (tv->tv_tag) {
	case LDPT_REGISTER_CLAIM_FILE_HOOK:
		linker.register_claim_file = tv->tv_u.tv_register_claim_file;
		break;
	case LDPT_REGISTER_ALL_SYMBOLS_READ_HOOK:
		linker.register_all_symbols_read = tv->tv_u.tv_register_all_symbols_read;
		break;
	case LDPT_ADD_SYMBOLS_V2:
		linker.add_symbols = tv->tv_u.tv_add_symbols;
		linker.told_types = true;
		break;
	case LDPT_ADD_SYMBOLS:
		if (!linker.told_types)
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
		take_option(tv->tv_u.tv_string);
		break;
	default:
		break;
	}
}

__attribute__((visibility("default"))) enum ld_plugin_status onload(struct ld_plugin_tv *tv);

enum ld_plugin_status onload(struct ld_plugin_tv *tv) {
	for (; tv->tv_tag != LDPT_NULL; tv++)
		take(tv);
	if (!linker.register_claim_file || !linker.register_all_symbols_read || !linker.add_symbols ||
	    !linker.add_input_file || !linker.add_input_library || !linker.message)
		return LDPS_ERR;
	enum ld_plugin_status status = linker.register_claim_file(claim);
	return status == LDPS_OK ? linker.register_all_symbols_read(hand_over) : status;
}
