/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of checks. */
#include "harness/doctor/doctor.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void ifr_checkup_init(struct ifr_checkup *checkup) {
	memset(checkup, 0, sizeof *checkup);
}

void ifr_checkup_release(struct ifr_checkup *checkup) {
	for (size_t i = 0; i < checkup->count; i++) {
		free(checkup->checks[i].finding);
		free(checkup->checks[i].remedy);
	}
	free(checkup->checks);
	ifr_checkup_init(checkup);
}

void ifr_checkup_add(struct ifr_checkup *checkup, const char *name, enum ifr_check_status status,
                     const char *remedy, const char *format, ...) {
	struct ifr_buffer finding = {0};
	va_list args;
	va_start(args, format);
	ifr_buffer_vprintf(&finding, format, args);
	va_end(args);
	checkup->checks = ifr_realloc(checkup->checks, checkup->count + 1, sizeof *checkup->checks);
	checkup->checks[checkup->count++] = (struct ifr_check){
		.name = name,
		.status = status,
		.finding = ifr_buffer_detach(&finding),
		.remedy = ifr_strdup(status == IFR_CHECK_OK ? "" : remedy),
	};
}

bool ifr_checkup_usable(const struct ifr_checkup *checkup) {
	for (size_t i = 0; i < checkup->count; i++)
		if (checkup->checks[i].status == IFR_CHECK_BAD)
			return false;
	return true;
}

const char *ifr_check_status_name(enum ifr_check_status status) {
	static const char *const names[] = {"ok", "warn", "bad"};
	return names[status];
}
