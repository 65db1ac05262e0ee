/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the symbols of an object file with GCC's intermediate representation (IR), in the form in which a linker
 * plugin hands them to the linker. The object file has two kinds of sections:
 *
 *     .gnu.lto_.symtab.ID       for each symbol: its name and its COMDAT group's name, each ended by a NUL; kind
 *                               (1 byte), visibility (1), size (8), slot (4)
 *     .gnu.lto_.ext_symtab.ID   version (1 byte, 1); for each symbol its type (1) and its section's kind (1)
 *
 * Ref: GCC 12, gcc/lto-streamer-out.cc (write_symbol, produce_symtab_extension); include/plugin-api.h. */
#ifndef IFR_WRAPPER_IR_SYMBOLS_H
#define IFR_WRAPPER_IR_SYMBOLS_H

#include <elf.h>
#include <plugin-api.h>
#include <stddef.h>
#include <sys/types.h>

struct ir_symbols {
	struct ld_plugin_symbol *items; /* in the order of the file; each name once, by its strongest occurrence */
	size_t count;
	char *text; /* holds the names */
};

enum ir_outcome { IR_NONE, IR_FOUND, IR_DAMAGED };

/* Reads the symbols of the object file of size bytes at offset in fd. IR_NONE: not an x86-64 ELF file with IR. The
 * linker keeps pointers to the symbols that it is given: release them only after it. */
enum ir_outcome ir_symbols_read(struct ir_symbols *symbols, int fd, off_t offset, off_t size);
void ir_symbols_release(struct ir_symbols *symbols);

#endif
