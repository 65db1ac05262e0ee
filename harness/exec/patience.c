/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/exec/patience.h"

#include <stdlib.h>

#include "common/buffer.h"

static const int64_t second_ns = INT64_C(1000000000);

static void say(struct ifr_patience *patience) {
	char *limit = patience->limit_ns >= 60 * second_ns
	                  ? ifr_format(" (now %.0f min)", (double)patience->limit_ns / 6e10)
	              : patience->limit_ns ? ifr_format(" (now %.0f s)", (double)patience->limit_ns / 1e9)
	                                   : ifr_strdup("");
	char *text = ifr_format("the first run of %s has not ended after %d s, and goes on; %s bounds it%s",
	                        patience->program, IFR_PATIENCE_S, patience->options, limit);
	patience->say(text);
	free(text);
	free(limit);
}

void ifr_patience_watch(struct ifr_patience *patience, int64_t elapsed_ns) {
	if (elapsed_ns < patience->shown_ns) /* another run */
		patience->shown_ns = 0;
	if (elapsed_ns < IFR_PATIENCE_S * second_ns)
		return;
	if (!patience->said && patience->say)
		say(patience);
	patience->said = true;
	if (patience->progress && elapsed_ns - patience->shown_ns >= second_ns) {
		patience->progress(elapsed_ns);
		patience->shown_ns = elapsed_ns;
	}
}
