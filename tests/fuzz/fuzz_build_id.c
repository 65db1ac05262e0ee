/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as an ELF file: reading gives a build-id in hexadecimal, none, or an error that names the file.
 * Sections are visited, too. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kit/kit.h"
#include "relinker/sections.h"

int ifr_fuzz_one(const unsigned char *data, size_t size);

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	char path[64], hex[2 * IFR_BUILD_ID_MAX_BYTES + 1];
	struct ifr_error err = {0};
	struct sections sections;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int result = ifr_build_id_read(path, hex, &err);
	if (!result) {
		assert(strlen(hex) % 2 == 0 && strlen(hex) == strspn(hex, "0123456789abcdef"));
	} else {
		assert(result == -IFR_E_USAGE && err.code == IFR_E_USAGE && strstr(err.message, path));
		assert(!strchr(err.message, '\n'));
	}
	err = (struct ifr_error){0};
	result = sections_read(&sections, data, size, path, &err);
	assert(!result || (err.code == IFR_E_ENVIRONMENT && strstr(err.message, path)));
	if (!result) {
		struct ifr_buffer text = {0};
		sections_compare(&sections, &sections, &text);
		assert(!strncmp(ifr_buffer_text(&text), "no section moved", 16) || sections.count > 1);
		ifr_buffer_release(&text);
	}
	sections_release(&sections);
	close(fd);
	return 0;
}
