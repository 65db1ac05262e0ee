/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "harness/analysis/analysis.h"
#include "harness/report/report.h"
#include "harness/report/unit_map.h"
#include "harness/output/output.h"

/* Describes the cost of the worse of two places; the caller frees. */
static char *describe_cost(const struct ifr_finding *f, double pct) {
	if (!f->other)
		return ifr_format("its worst place costs %+.2f %% against its best", pct);
	char *other = map_unit_words(f->other),
		 *cost = ifr_format("%s %s costs %+.2f %%",
	                        f->classes.highest ? "sharing cache sets with" : "keeping out of the cache sets of",
	                        other, pct);
	free(other);
	return cost;
}

void ifr_confirmation_describe(const struct ifr_finding *f, const struct ifr_comparison *c,
                               struct ifr_buffer *out) {
	bool held = c->interval.low > 1, reversed = c->interval.high < 1;
	char *cost = describe_cost(f, 100 * (c->ratio - 1));
	ifr_buffer_printf(out,
	                  "%s: moved alone in %zu layouts and measured afresh, %s "
	                  "(95 %% interval %+.2f %% to %+.2f %%, %s).",
	                  held       ? "Confirmed"
	                  : reversed ? "Not confirmed, it is the other way round"
	                             : "Not confirmed",
	                  c->layouts[1], cost, 100 * (c->interval.low - 1), 100 * (c->interval.high - 1),
	                  c->metric.name);
	free(cost);
}

void ifr_confirmation_text(const struct ifr_finding *f, const struct ifr_comparison *c, struct ifr_buffer *text) {
	struct ifr_buffer s = {0};
	ifr_confirmation_describe(f, c, &s);
	ifr_buffer_puts(text, "\n");
	char *unit = map_unit_words(f->unit);
	ifr_text_wrap(text, unit, "", "  ");
	free(unit);
	ifr_text_wrap(text, ifr_buffer_text(&s), "  ", "  ");
	ifr_buffer_release(&s);
}
