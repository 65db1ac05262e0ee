/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The levels of sweeps over a few choices, of which a machine or a program may lack some. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/campaign/audit_state.h"
#include "harness/exec/exec.h"

/* Adds a level to a sweep's list, or what is missing to a list of reasons. */
static void add_level(struct ifr_buffer *levels, unsigned *count, unsigned level) {
	ifr_buffer_printf(levels, "%s%u", levels->length ? "," : "", level);
	++*count;
}

static void choose_allocators(const char *program, struct ifr_buffer *levels, unsigned *count,
                              struct ifr_buffer *missing) {
	for (unsigned i = 0; i < IFR_LIBRARIES; i++) {
		struct ifr_error why;
		if (!ifr_allocator_check(i, program, &why))
			add_level(levels, count, i);
		else
			ifr_buffer_printf(missing, "%s%s", missing->length ? "; " : "", why.message);
	}
}

/* The modes of the kernel, the chosen one in brackets. */
static bool has_huge_pages(void) {
	struct ifr_buffer modes = {0};
	const bool has = !ifr_file_read("/sys/kernel/mm/transparent_hugepage/enabled", 0, &modes, NULL) &&
	                 !strstr(ifr_buffer_text(&modes), "[never]");
	ifr_buffer_release(&modes);
	return has;
}

static void choose_huge_pages(const char *program, struct ifr_buffer *levels, unsigned *count,
                              struct ifr_buffer *missing) {
	const uint64_t text_bytes = ifr_huge_text_bytes(program);
	add_level(levels, count, 0);
	if (!has_huge_pages()) {
		ifr_buffer_puts(missing, "the kernel has no transparent huge pages "
		                         "(/sys/kernel/mm/transparent_hugepage/enabled)");
		return;
	}
	add_level(levels, count, IFR_HUGE_HEAP);
	if (!text_bytes) {
		ifr_buffer_puts(missing, "the text has no 2 MiB that begin at a multiple of 2 MiB");
		return;
	}
	add_level(levels, count, IFR_HUGE_TEXT);
	add_level(levels, count, IFR_HUGE_HEAP | IFR_HUGE_TEXT);
}

int audit_choose_levels(struct audit_state *state, unsigned which, struct ifr_error *err) {
	const struct ifr_campaign *campaign = &state->audit->campaign;
	const char *program = campaign->user ? campaign->user : campaign->programs->path,
			   *sweep = ifr_triggers[which].sweep;
	struct ifr_buffer levels = {0}, missing = {0};
	unsigned count = 0;
	int result = 0;
	if (!sweep || !strchr(sweep, ','))
		return 0;
	if (ifr_starts_with(sweep, "allocator:"))
		choose_allocators(program, &levels, &count, &missing);
	else
		choose_huge_pages(program, &levels, &count, &missing);
	if (count < 2)
		result = ifr_fail(err, IFR_E_USAGE, "%s", ifr_buffer_text(&missing));
	else
		state->sweeps[which] = ifr_format("%.*s%s", (int)strcspn(sweep, "=") + 1, sweep, ifr_buffer_text(&levels));
	snprintf(state->outcomes[which].note, sizeof state->outcomes[which].note, "%s",
	         result ? "" : ifr_buffer_text(&missing));
	ifr_buffer_release(&missing);
	ifr_buffer_release(&levels);
	return result;
}
