/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols as people read them: names of C++ and Rust demangled, and wide ones shortened. */
#ifndef IFR_HARNESS_SYMBOL_H
#define IFR_HARNESS_SYMBOL_H

#include <stddef.h>

/* "Json::Value::size() const" for "_ZNK4Json5Value4sizeEv"; NULL for a name that is not mangled. The caller frees it. */
char *ifr_symbol_demangle(const char *symbol);
/* A demangled name in so many columns, 8 at least, by the first of these that suffices: its parameters as "(..)", its
 * template arguments as "<..>", without outer scopes, its last columns behind "..". The caller frees it. */
char *ifr_symbol_shorten(const char *name, size_t columns);

#endif
