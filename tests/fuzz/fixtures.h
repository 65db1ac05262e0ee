/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small programs of several kinds, compiled and linked at run time, with all that a link of theirs reads and
 * writes. They are never run. */
#ifndef IFR_TESTS_FUZZ_SUBJECTS_H
#define IFR_TESTS_FUZZ_SUBJECTS_H

#include "common/buffer.h"
#include "kit/kit.h"
#include "relinker/ld/ld_engine.h"
#include "relinker/placement/placement.h"
#include "relinker/units.h"

enum { FIXTURES = 5, FIXTURE_OBJECTS = 2, FIXTURE_FILES = FIXTURE_OBJECTS + 2 };

/* Its files: what the link reads, then what it writes. */
enum { FIXTURE_PROGRAM = FIXTURE_OBJECTS, FIXTURE_MAP };

struct fixture {
	char *folder; /* in which it was linked, where the files lie */
	const char *names[FIXTURE_FILES];
	struct ifr_buffer files[FIXTURE_FILES]; /* as they were made */
	struct ifr_kit kit;
	struct ld_engine engine; /* ends by itself whatever it is given */
	struct ifr_buffer script;
	struct units units;
	struct layout_sizes sizes; /* of the linked program: all regions, shuffled or not */
};

/* Subject number 0 … FIXTURES - 1, made when first asked for; its folder goes when the process exits. The current
 * folder must be the top of the sources. Aborts where it cannot be made. */
struct fixture *fixture_get(size_t index);

/* Reads the units that a link left behind, and what sizes shuffles of them need. */
int fixture_units(const char *program, const char *map, const char *folder, struct units *units,
                  struct layout_sizes *sizes, struct ifr_error *err);

/* Writes a file into the fixture's folder. */
void fixture_write(const struct fixture *fixture, size_t file, const struct ifr_buffer *contents);

#endif
