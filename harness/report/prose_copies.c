/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variance of copies of one file, and copies far out. */
#include <math.h>

#include "harness/report/prose.h"

static void say_effect(struct ifr_prose *prose) {
	const struct ifr_copies *effect = &prose->analysis->copies.effect;
	struct ifr_buffer *text = &prose->text;
	if (effect->copy_sd > 0) {
		ifr_buffer_puts(text, "Copies of one file differ by about ");
		ifr_format_pct(text, 100 * effect->copy_sd);
		ifr_buffer_puts(text, " (standard deviation; 95 % interval ");
		ifr_format_pct(text, 100 * effect->copy_interval.low);
		ifr_buffer_puts(text, " to ");
	} else {
		ifr_buffer_puts(
			text, "Copies of one file differ by no more than their runs (standard deviation of copies: at most ");
	}
	ifr_format_pct(text, 100 * effect->copy_interval.high);
	ifr_buffer_puts(text, "), beside ");
	ifr_format_pct(text, 100 * effect->run_sd);
	ifr_buffer_puts(text, " from run to run.");
}

static void say_far(struct ifr_prose *prose) {
	const struct ifr_copy_findings *copies = &prose->analysis->copies;
	struct ifr_buffer *text = &prose->text;
	const char *direction =
		copies->deviation > 0 ? ifr_prose_more(prose->analysis) : ifr_prose_less(prose->analysis);
	ifr_buffer_printf(text, "%s%zu of %zu copies ran ", text->length ? " " : "", copies->far, copies->count);
	if (copies->far > 1)
		ifr_buffer_puts(text, "far from the others of their layouts, the farthest ");
	ifr_format_pct(text, 100 * copies->deviation);
	ifr_buffer_printf(text, " %s", direction);
	if (copies->far == 1)
		ifr_buffer_puts(text, " than the others of its layout");
	ifr_buffer_printf(text, " (%s, copy %u). A disturbance of a single run looks the same.",
	                  copies->farthest->variant->name, copies->copy);
}

void ifr_prose_copies(struct ifr_prose *prose) {
	const struct ifr_copy_findings *copies = &prose->analysis->copies;
	if (copies->known)
		say_effect(prose);
	if (copies->far)
		say_far(prose);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
}
