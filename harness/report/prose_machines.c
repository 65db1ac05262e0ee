/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several machines: the effects that all kinds share, and those of one kind. */
#include "harness/report/prose.h"

static void list_kinds(struct ifr_prose *prose) {
	const struct ifr_machine_findings *machines = &prose->analysis->machines;
	struct ifr_buffer *text = &prose->text;
	for (size_t i = 0; i < machines->kind_count; i++) {
		const struct ifr_machine_kind *kind = &machines->kinds[i];
		ifr_buffer_printf(text, "%s: %zu node%s", kind->processor, kind->nodes, kind->nodes > 1 ? "s" : "");
		if (machines->kind_count > 1 && kind->level > 0)
			ifr_buffer_printf(text, ", level %.3g of the mean of all kinds", kind->level);
		if (kind->nodes > 1) {
			ifr_buffer_puts(text, "; its nodes differ by ");
			ifr_format_pct(text, 100 * (kind->highest / kind->lowest - 1));
		}
		ifr_buffer_puts(text, ".");
		ifr_prose_end(prose, IFR_PROSE_ITEM);
	}
}

static void say_effect(struct ifr_prose *prose) {
	const struct ifr_crossed *effect = &prose->analysis->machines.effect;
	struct ifr_buffer *text = &prose->text;
	ifr_buffer_puts(text, "Common to all kinds: layouts differ by ");
	ifr_format_pct(text, 100 * effect->row_sd);
	ifr_buffer_puts(text, " (standard deviation). A kind's own: ");
	ifr_format_pct(text, 100 * effect->cell_sd);
	ifr_buffer_printf(text, " more (F test p = %.2g). From run to run: ", effect->p);
	ifr_format_pct(text, 100 * effect->run_sd);
	ifr_buffer_puts(text, ".");
	if (effect->left_out)
		ifr_buffer_printf(text, " %zu layouts that some kind did not measure are left out of this.",
		                  effect->left_out);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	if (effect->p < 1 - IFR_REPORT_CONFIDENCE && effect->cell_sd > effect->row_sd)
		ifr_prose_say(
			prose, IFR_PROSE_WARNING,
			"Most of the layout effect is a kind's own: the best layout above is that of the mean, and of "
			"no processor. Report each kind alone.");
	else if (effect->p < 1 - IFR_REPORT_CONFIDENCE)
		ifr_prose_say(prose, IFR_PROSE_WARNING,
		              "Kinds differ in their layout effects: what is said of all holds for their mean.");
}

void ifr_prose_machines(struct ifr_prose *prose) {
	const struct ifr_machine_findings *machines = &prose->analysis->machines;
	if (machines->nodes < 2)
		return;
	ifr_prose_say(prose, IFR_PROSE_HEADING, "What do the machines have in common?");
	ifr_prose_say(
		prose, IFR_PROSE_PARAGRAPH,
		"The level of each node is taken out of its runs, so that a faster machine makes no layout faster. "
		"Values are those of a mean kind of machine. Disturbances in time are not removed.");
	list_kinds(prose);
	if (machines->crossed)
		say_effect(prose);
	else if (machines->kind_count > 1)
		ifr_prose_say(prose, IFR_PROSE_PARAGRAPH, machines->why_not.message);
}
