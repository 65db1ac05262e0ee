/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/side.h"

#include <string.h>

#include "runtime/os.h"

static void *const hint = OS_HINT(0x130000000000);
static char *start;
static size_t reserved;

static struct ifr_runtime_report own;
struct ifr_runtime_report *report = &own;

bool side_init(void) {
	for (reserved = (size_t)1 << 40; !start && reserved >= (size_t)1 << 24; reserved >>= 4)
		if (reserved <= os_address_space() / 8 && (start = os_reserve(hint, reserved)))
			return true;
	return start != NULL;
}

void *side_at(size_t offset, size_t bytes) {
	return start && offset <= reserved && bytes <= reserved - offset ? start + offset : NULL;
}

/* "DESCRIPTOR:NONCE" */
static bool parse_setting(const char *setting, uint64_t number[2]) {
	for (int i = 0; i < 2; i++) {
		size_t digits = strspn(setting, "0123456789");
		number[i] = 0;
		for (size_t j = 0; j < digits; j++)
			number[i] = number[i] * 10 + (uint64_t)(setting[j] - '0');
		setting += digits;
		if (!digits || *setting++ != (i == 0 ? ':' : '\0'))
			return false;
	}
	return number[0] < 1 << 20;
}

void report_open(const char *setting) {
	uint64_t number[2], head[2];
	report = memset(&own, 0, sizeof own);
	void *page = side_at(SIDE_REPORT, IFR_REPORT_BYTES);
	if (!*setting || !parse_setting(setting, number))
		return;
	int fd = (int)number[0];
	/* In a program that this one has started, the descriptor may be another file. */
	if (!os_read_head(fd, head, sizeof head) || head[0] != IFR_REPORT_MAGIC || head[1] != number[1])
		return;
	/* Without the reservation, the page is mapped anywhere to report that. */
	if (!page || !os_map_file(page, IFR_REPORT_BYTES, fd, 0))
		page = os_map_anywhere(IFR_REPORT_BYTES, fd);
	if (page)
		report = page;
	os_close(fd);
}

bool report_is_read(void) {
	return report != &own;
}

void report_applied(enum ifr_report_applied what) {
	atomic_fetch_or_explicit(&report->applied, (uint32_t)what, memory_order_relaxed);
}

void report_refuse(const char *what, const char *why) {
	if (!report_is_read())
		os_say(what, why);
	if (*report->refused)
		return;
	strncat(report->refused, what, sizeof report->refused / 2);
	strcat(report->refused, " ");
	strncat(report->refused, why, sizeof report->refused / 2 - 4);
}
