/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The host: time-stamp counter, hypervisor, container, and small numbers that the kernel shows in files. */
#include <cpuid.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "common/buffer.h"
#include "common/file.h"
#include "harness/counters/counters.h"

enum { SMALL_FILE_BYTES = 1 << 16 };

uint64_t ifr_tsc_read(void) {
	/* rdtsc alone may be executed before earlier loads. */
	_mm_lfence();
	return __rdtsc();
}

bool ifr_machine_hypervisor(char name[IFR_HYPERVISOR_NAME_BYTES]) {
	unsigned a, b, c, d;
	if (name)
		name[0] = '\0';
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
		return false;
	if (name) {
		__cpuid(0x40000000, a, b, c, d);
		memcpy(name, &b, 4);
		memcpy(name + 4, &c, 4);
		memcpy(name + 8, &d, 4);
		name[12] = '\0';
	}
	return true;
}

bool ifr_machine_container(void) {
	return getenv("container") || ifr_file_exists("/.dockerenv") || ifr_file_exists("/run/.containerenv") ||
	       ifr_file_exists("/run/systemd/container");
}

bool ifr_machine_tsc_invariant(void) {
	unsigned a, b, c, d;
	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}

bool ifr_machine_word(const char *path, char *word, unsigned size) {
	struct ifr_buffer text = {0};
	bool found = false;
	if (!ifr_file_read(path, SMALL_FILE_BYTES, &text, NULL)) {
		const char *start = ifr_buffer_text(&text);
		int length = (int)strcspn(start, " \t\n");
		found = length > 0;
		snprintf(word, size, "%.*s", length, start);
	}
	ifr_buffer_release(&text);
	return found;
}

long ifr_machine_number(const char *path, long otherwise) {
	char word[32], *end;
	if (!ifr_machine_word(path, word, sizeof word))
		return otherwise;
	errno = 0;
	long number = strtol(word, &end, 10);
	return errno || end == word || *end ? otherwise : number;
}
