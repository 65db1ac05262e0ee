/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/audit_code.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "harness/commands/commands.h"
#include "harness/commands/progress.h"
#include "harness/exec/exec.h"

/* The first search that names a function which this one can name, too; itself where it is the first. */
static size_t find_first(const struct audit_code *code, size_t which) {
	size_t first = 0;
	while (first < which &&
	       (!code->searches[first].code.finding ||
	        !ifr_audit_code_adopt(&code->searches[which], code->searches[first].code.finding->unit)))
		first++;
	return first;
}

/* Confirms one search; the time until then is shared with those behind it. */
static void confirm_one(const struct ifr_audit *audit, struct audit_code *code, size_t which, unsigned behind,
                        int64_t until_ns) {
	struct ifr_audit_code_search *search = &code->searches[which];
	const int64_t now_ns = ifr_clock_ns();
	if (ifr_launch_interrupted()) {
		ifr_fail(&search->code.why_not, IFR_E_USAGE, "the audit was interrupted before");
	} else if (until_ns != INT64_MAX && now_ns >= until_ns) {
		ifr_fail(&search->code.why_not, IFR_E_USAGE, "the budget ended before; the same command goes on");
	} else {
		if (audit->announce)
			ifr_command_note("%s: moving %s alone", search->row->trigger, search->code.finding->unit);
		ifr_audit_code_confirm(audit, code->relinker,
		                       until_ns == INT64_MAX ? 0 : (until_ns - now_ns) / (1 + (int64_t)behind), search);
		if (audit->announce)
			progress_clear();
	}
}

static void confirm_all(const struct ifr_audit *audit, int64_t until_ns, struct audit_code *code) {
	unsigned left = 0;
	for (size_t i = 0; i < code->count; i++)
		left += code->searches[i].code.finding && find_first(code, i) == i;
	for (size_t i = 0; i < code->count; i++) {
		const size_t first = code->searches[i].code.finding ? find_first(code, i) : code->count;
		if (first == i)
			confirm_one(audit, code, i, --left, until_ns);
		else if (first < i)
			code->searches[i].code.confirmed_for = code->searches[first].row->trigger;
	}
}

void audit_code_make(const struct ifr_audit *audit, struct ifr_audit_row *rows, size_t count, bool confirm,
                     int64_t deadline_ns, struct audit_code *code) {
	const struct ifr_kit *kit = audit->campaign.programs->kit;
	const int64_t now_ns = ifr_clock_ns();
	bool found = false;
	*code = (struct audit_code){.searches = ifr_alloc((count + 1) * sizeof *code->searches)};
	for (size_t i = 0; i < count; i++)
		found |= rows[i].found;
	if (!found || !kit || ifr_relinker_open(kit, &code->relinker, NULL))
		return;
	for (size_t i = 0; i < count; i++)
		if (rows[i].found)
			ifr_audit_code_find(kit, code->relinker, &rows[i], &code->searches[code->count++]);
	if (confirm)
		confirm_all(audit, deadline_ns == INT64_MAX ? INT64_MAX : now_ns + (deadline_ns - now_ns) / 4, code);
	for (size_t i = 0, search = 0; i < count; i++)
		if (rows[i].found) {
			rows[i].code = code->searches[search].code.finding ? &code->searches[search].code : NULL;
			search++;
		}
}

void audit_code_release(struct audit_code *code) {
	for (size_t i = 0; i < code->count; i++)
		ifr_audit_code_release(&code->searches[i]);
	ifr_relinker_close(code->relinker);
	free(code->searches);
	*code = (struct audit_code){0};
}
