/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of the linked program. */
#include <string.h>

#include "common/file.h"
#include "relinker/prepare/prepare.h"

uint32_t prepare_load32(const struct preparation *preparation, uint64_t at) {
	uint32_t value = 0;
	if (at + sizeof value <= preparation->program.length)
		memcpy(&value, preparation->program.bytes + at, sizeof value);
	return value;
}

uint64_t prepare_load64(const struct preparation *preparation, uint64_t at) {
	uint64_t value = 0;
	if (at + sizeof value <= preparation->program.length)
		memcpy(&value, preparation->program.bytes + at, sizeof value);
	return value;
}

int prepare_read_program(const char *path, uint8_t **bytes, size_t *length, struct ifr_error *err) {
	struct ifr_buffer contents = {0};
	int result = ifr_file_read(path, UINT32_MAX / 2, &contents, err);
	*length = contents.length;
	*bytes = (uint8_t *)ifr_buffer_detach(&contents);
	return result;
}
