/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several machines: the effects that all kinds share, and those of one kind. */
#include <math.h>

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

enum { SHOWN_NODES = 12 };

/* "n1: 120 runs, level 1.002 of its kind; from run to run 0.4 %". */
static void say_node(struct ifr_prose *prose, const struct ifr_machine_node *node) {
	struct ifr_buffer *text = &prose->text;
	ifr_buffer_printf(text, "%s: %zu run%s, level %.4g of the median node of its kind", node->host, node->runs,
	                  node->runs == 1 ? "" : "s", node->level);
	if (!isnan(node->noise)) {
		ifr_buffer_puts(text, "; from run to run ");
		ifr_format_pct(text, 100 * node->noise);
	}
	if (!isnan(node->calibrated_sd))
		ifr_buffer_printf(text, " by its calibration, which calls the program different from itself in %.1f %%",
		                  100 * node->calibrated_calls);
	ifr_buffer_puts(text, ".");
	ifr_prose_end(prose, IFR_PROSE_ITEM);
}

static void list_nodes(struct ifr_prose *prose) {
	const struct ifr_machine_findings *machines = &prose->analysis->machines;
	struct ifr_buffer *text = &prose->text;
	for (size_t i = 0; i < machines->nodes && i < SHOWN_NODES; i++)
		say_node(prose, &machines->node[i]);
	if (machines->nodes > SHOWN_NODES) {
		ifr_buffer_printf(text, "%zu more nodes, of less noise: --json lists all.", machines->nodes - SHOWN_NODES);
		ifr_prose_end(prose, IFR_PROSE_ITEM);
	}
	if (!machines->noisy)
		return;
	ifr_buffer_printf(text, "%zu of %zu nodes %s more than three times the usual noise of ", machines->noisy,
	                  machines->nodes, machines->noisy == 1 ? "has" : "have");
	ifr_format_pct(text, 100 * machines->usual_noise);
	ifr_buffer_printf(text, ", first %s: its doctor's report is in the table node of the experiment.",
	                  machines->node[0].host);
	ifr_prose_end(prose, IFR_PROSE_WARNING);
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
	list_nodes(prose);
	if (machines->crossed)
		say_effect(prose);
	else if (machines->kind_count > 1)
		ifr_prose_say(prose, IFR_PROSE_PARAGRAPH, machines->why_not.message);
}
