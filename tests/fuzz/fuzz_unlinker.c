/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A damaged program with relocations: it is taken apart, or refused with one line that names it. Nothing is kept. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/target.h"
#include "unlinker/unlinker.h"

const unsigned ifr_fuzz_seconds = 16;

/* One to four bytes change, mostly in the tables: programs of random bytes are refused at their first word. */
void ifr_fuzz_mutate(uint64_t bits, struct ifr_buffer *input) {
	static const unsigned char values[] = {0, 1, 2, 4, 8, 0x1b, 0x7f, 0x80, 0xe8, 0xe9, 0xeb, 0xff};
	for (unsigned i = 0; i <= (bits & 3) && input->length; i++) {
		const uint64_t mixed = (bits + i + 1) * 0x9e3779b97f4a7c15;
		input->data[(mixed >> 20) % input->length] = (char)values[(mixed >> 8) % sizeof values];
	}
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	char path[64];
	struct ifr_error err = {0};
	struct ifr_unlinked made;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int result = ifr_unlinker_make_kit(path, true, &made, &err);
	if (result)
		assert(result == -IFR_E_USAGE && err.code == IFR_E_USAGE && strstr(err.message, path) &&
		       !strchr(err.message, '\n'));
	else
		assert(made.units && made.functions >= made.units);
	close(fd);
	return 0;
}
