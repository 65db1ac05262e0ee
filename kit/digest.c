/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/kit.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <unistd.h>

static void print_digest(struct sha256_ctx *context, char hex[IFR_SHA256_HEX]) {
	uint8_t digest[SHA256_DIGEST_SIZE];
	sha256_digest(context, sizeof digest, digest);
	base16_encode_update(hex, sizeof digest, digest);
	hex[IFR_SHA256_HEX - 1] = '\0';
}

void ifr_sha256(const void *data, size_t length, char hex[IFR_SHA256_HEX]) {
	struct sha256_ctx context;
	sha256_init(&context);
	sha256_update(&context, length, data);
	print_digest(&context, hex);
}

int ifr_sha256_file(const char *path, char hex[IFR_SHA256_HEX], int64_t *bytes, struct ifr_error *err) {
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot open %s", path);
	struct sha256_ctx context;
	sha256_init(&context);
	int64_t total = 0;
	ssize_t got;
	uint8_t chunk[65536];
	while ((got = read(fd, chunk, sizeof chunk)) > 0 || (got < 0 && errno == EINTR)) {
		if (got < 0)
			continue;
		sha256_update(&context, (size_t)got, chunk);
		total += got;
	}
	int result = got < 0 ? ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot read %s", path) : 0;
	close(fd);
	print_digest(&context, hex);
	if (bytes)
		*bytes = total;
	return result;
}
