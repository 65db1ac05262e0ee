/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbols of an object that holds GCC's intermediate representation (IR), as a linker must be told them.
 *
 * Such an object has sections .gnu.lto_.symtab.ID: for each symbol its name and the name of its COMDAT group, both
 * ended by a NUL, then kind and visibility (a byte each), size (8 bytes) and slot (4 bytes). Sections
 * .gnu.lto_.ext_symtab.ID hold a version (a byte, 1) and two more bytes for each symbol: type and kind of section.
 *
 * Ref: GCC 12, gcc/lto-streamer-out.cc (write_symbol, produce_symtab_extension); include/plugin-api.h. */
#ifndef IFR_WRAPPER_IR_SYMBOLS_H
#define IFR_WRAPPER_IR_SYMBOLS_H

#include <elf.h>
#include <plugin-api.h>
#include <stddef.h>
#include <sys/types.h>

struct ir_symbols {
	struct ld_plugin_symbol *items; /* in the order of the file, each name once: its strongest occurrence */
	size_t count;
	char *text; /* their names lie in here */
};

enum ir_outcome { IR_NONE, IR_FOUND, IR_DAMAGED };

/* Reads the symbols of the object of size bytes at offset in fd. IR_NONE: it is no x86-64 ELF file with IR in it.
 * Symbols that were found must live as long as the linker does. */
enum ir_outcome ir_symbols_read(struct ir_symbols *symbols, int fd, off_t offset, off_t size);
void ir_symbols_release(struct ir_symbols *symbols);

#endif
