/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocators that a program can be given in the place of glibc's, as shared libraries that the loader preloads. */
#ifndef IFR_HARNESS_ALLOCATORS_H
#define IFR_HARNESS_ALLOCATORS_H

#include <stdbool.h>

#include "common/error.h"
#include "common/strings.h"

/* The number of an allocator is its value in plans: it never changes. */
enum { IFR_LIBRARIES = 5 };
struct ifr_library_allocator {
	const char *name;    /* "jemalloc" */
	const char *library; /* file name, or several with | between; NULL: glibc's own */
	const char *package; /* Debian package; NULL: Debian has none */
};
extern const struct ifr_library_allocator ifr_libraries[IFR_LIBRARIES];

/* The path of the first of the libraries, apart by |, that is installed in the usual folders, NULL if none is; the
 * caller frees. */
char *ifr_allocator_find(const char *names);

/* Errors: IFR_E_USAGE where the allocator is not installed, with its package, or where the program has no loader. */
int ifr_allocator_check(unsigned allocator, const char *program, struct ifr_error *err);

/* Adds the preload of an allocator, or as many bytes without effect: the number of strings and of bytes is the same for
 * all. A preload of the user's stays, behind. */
void ifr_allocator_environment(unsigned allocator, struct ifr_strings *environment);

/* Why a run was without the allocator that its environment preloads: the loader's complaint on standard error; NULL if
 * there is none. */
const char *ifr_allocator_complaint(const char *errors);

#endif
