/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixtures: small programs of several kinds, compiled and linked when a target first asks for them, with all files
 * that the link reads and writes. They are never run. */
#ifndef IFR_TESTS_FUZZ_FIXTURES_H
#define IFR_TESTS_FUZZ_FIXTURES_H

#include "common/buffer.h"
#include "kit/kit.h"
#include "relinker/ld/ld_engine.h"
#include "relinker/placement/placement.h"
#include "relinker/units.h"

enum { FIXTURES = 5, FIXTURE_OBJECTS = 2, FIXTURE_FILES = FIXTURE_OBJECTS + 2 };

/* Indices of files: the object files come first, then the link's output. */
enum { FIXTURE_PROGRAM = FIXTURE_OBJECTS, FIXTURE_MAP };

struct fixture {
	char *folder; /* of the link and its files */
	const char *names[FIXTURE_FILES];
	struct ifr_buffer files[FIXTURE_FILES]; /* the original contents */
	struct ifr_kit kit;
	struct ld_engine engine; /* its linker is limited in time and memory */
	struct ifr_buffer script;
	struct units units;
	struct layout_sizes sizes; /* of all output sections of the linked program */
};

/* Returns fixture number 0 … FIXTURES - 1, made at the first call; its folder is removed when the process exits. The
 * current folder must be the top of the sources. Aborts if the fixture cannot be made. */
struct fixture *fixture_get(size_t index);

/* Reads the units of a link, and the sizes that their permutations need. */
int fixture_units(const char *program, const char *map, const char *folder, struct units *units,
                  struct layout_sizes *sizes, struct ifr_error *err);

/* Writes contents to a file of the fixture. */
void fixture_write(const struct fixture *fixture, size_t file, const struct ifr_buffer *contents);

#endif
