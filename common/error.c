/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void write_message(struct ifr_error *err, int code, const char *format, va_list args) {
	if (!err)
		return;
	err->code = code;
	vsnprintf(err->message, sizeof err->message, format, args);
}

int ifr_fail(struct ifr_error *err, int code, const char *format, ...) {
	va_list args;
	va_start(args, format);
	write_message(err, code, format, args);
	va_end(args);
	return -code;
}

int ifr_fail_errno(struct ifr_error *err, int code, const char *format, ...) {
	int saved = errno;
	va_list args;
	va_start(args, format);
	write_message(err, code, format, args);
	va_end(args);
	if (err) {
		size_t used = strlen(err->message);
		snprintf(err->message + used, sizeof err->message - used, ": %s", strerror(saved));
	}
	return -code;
}
