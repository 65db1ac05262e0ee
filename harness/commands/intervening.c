/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/intervening.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/commands/progress.h"
#include "harness/experiment/experiment.h"
#include "harness/report/comparison.h"
#include "harness/report/wrap.h"

/* Two sets of layouts, in which one unit lies at two kinds of places. */
struct sets {
	char *folder;
	struct ifr_strings files[2]; /* best, worst */
};

/* The unit's address in a layout, moved within its frame to where a class begins. */
static uint64_t place_in(const struct ifr_code_finding *f, size_t class, uint64_t at) {
	unsigned offset, frame;
	ifr_code_class_place(f->kind, (unsigned)class, &offset, &frame);
	return at / frame * frame + offset;
}

static uint64_t address_of(const struct intervention *in, size_t variant, const char *unit) {
	for (size_t i = 0; i < in->addresses.unit_count; i++)
		if (!strcmp(in->addresses.units[i], unit))
			return in->addresses.at[variant * in->addresses.unit_count + i];
	return 0;
}

/* A layout's plan with that unit at an address, as a file; the path is the caller's. */
static int make_one(const struct intervention *in, const struct ifr_dataset_variant *variant, const char *unit,
                    uint64_t at, const char *path, struct ifr_error *err) {
	struct ifr_plan plan;
	struct ifr_variant made = {0};
	int result = ifr_plan_parse(variant->plan, strlen(variant->plan), variant->name, &plan, err);
	if (result)
		return result;
	for (size_t i = 0; i < plan.place_count; i++)
		if (!strcmp(plan.places[i].unit, unit))
			result = ifr_fail(err, IFR_E_USAGE, "%s has a place by its plan already", unit);
	if (!result) {
		ifr_plan_place_at(&plan, unit, at);
		result = ifr_relinker_make(in->relinker, &plan, path, &made, err);
	}
	ifr_buffer_release(&made.facts);
	ifr_plan_release(&plan);
	return result;
}

static int make_pair(const struct intervention *in, const struct ifr_code_finding *f, size_t variant,
                     struct sets *sets, struct ifr_error *err) {
	const size_t classes[2] = {f->classes.lowest, f->classes.highest};
	const struct ifr_dataset_variant *from = &in->dataset->variants[variant];
	uint64_t at = address_of(in, variant, f->unit);
	char *paths[2];
	int result = at ? 0 : -1;
	for (int i = 0; i < 2; i++)
		paths[i] = ifr_format("%s/%c%s", sets->folder, "bw"[i], from -> name);
	for (int i = 0; i < 2 && !result; i++)
		result = make_one(in, from, f->unit, place_in(f, classes[i], at), paths[i], err);
	for (int i = 0; i < 2; i++) {
		if (!result)
			ifr_strings_add(&sets->files[i], paths[i]);
		free(paths[i]);
	}
	return result;
}

static int make_sets(const struct intervention *in, const struct ifr_code_finding *f, struct sets *sets,
                     struct ifr_error *err) {
	struct ifr_error why = {0};
	int result = ifr_temporary_dir(&sets->folder, err);
	if (result)
		return result;
	for (size_t i = 0; i < in->dataset->variant_count; i++)
		if (in->dataset->variants[i].index && !in->dataset->variants[i].refused)
			make_pair(in, f, i, sets, &why);
	return sets->files[0].count >= 2
	           ? 0
	           : ifr_fail(err, IFR_E_USAGE, "%s cannot be moved alone in two layouts or more%s%s", f->unit,
	                      *why.message ? ": " : "", why.message);
}

static const struct ifr_code_finding *choose(const struct ifr_code *code) {
	for (size_t i = 0; i < code->found; i++)
		if (code->findings[i].kind < IFR_CODE_PAGE)
			return &code->findings[i];
	return NULL;
}

static int tell(const struct ifr_code_finding *f, const char *file, const char *metric, struct ifr_buffer *text,
                struct ifr_error *err) {
	static const struct ifr_comparison_rules rules = {.margin = 0.01, .fail_above = 1000};
	struct ifr_dataset dataset;
	struct ifr_comparison c;
	int result = ifr_experiment_load(file, &dataset, err);
	if (result)
		return result;
	const struct ifr_comparison_side best = {&dataset, 2, 0, "the best place"},
									 worst = {&dataset, 2, 1, "the worst"};
	result = ifr_comparison_make(&best, &worst, metric, &rules, &c, err);
	if (!result) {
		bool held = c.interval.low > 1, reversed = c.interval.high < 1;
		struct ifr_buffer s = {0};
		ifr_buffer_printf(
			&s,
			"%s: moved alone in %zu layouts and measured afresh, its worst place costs %+.2f %% against its "
			"best (95 %% interval %+.2f %% to %+.2f %%, %s).",
			held       ? "Confirmed"
			: reversed ? "Not confirmed, it is the other way round"
					   : "Not confirmed",
			c.layouts[1], 100 * (c.ratio - 1), 100 * (c.interval.low - 1), 100 * (c.interval.high - 1),
			c.metric.name);
		ifr_buffer_puts(text, "\n");
		ifr_text_wrap(text, f->unit, "", "  ");
		ifr_text_wrap(text, ifr_buffer_text(&s), "  ", "  ");
		ifr_buffer_release(&s);
	}
	ifr_dataset_release(&dataset);
	return result;
}

int intervene(const struct intervention *in, const struct ifr_code *code, struct ifr_campaign *campaign,
              struct ifr_buffer *text, struct ifr_error *err) {
	const struct ifr_code_finding *f = choose(code);
	struct ifr_campaign_result done;
	struct sets sets = {0};
	if (!f)
		return ifr_fail(err, IFR_E_USAGE,
		                "only findings about pages and meetings are there, and a unit cannot change those alone");
	char *file = campaign->file ? ifr_strdup(campaign->file) : ifr_format("%s.confirm", in->experiment);
	int result = make_sets(in, f, &sets, err);
	if (!result) {
		campaign->file = file;
		campaign->program = "the best places";
		campaign->other.program = "the worst places";
		campaign->files[0] = &sets.files[0];
		campaign->files[1] = &sets.files[1];
		campaign->variants = (unsigned)sets.files[0].count;
		campaign->progress = progress_wanted(false) ? progress_show : NULL;
		campaign->say = ifr_command_say;
		result = ifr_campaign_run(campaign, &done, err);
		if (campaign->progress)
			progress_clear();
	}
	if (!result)
		result = tell(f, file, in->metric, text, err);
	if (sets.folder)
		ifr_tree_remove(sets.folder, NULL);
	free(sets.folder);
	ifr_strings_release(&sets.files[0]);
	ifr_strings_release(&sets.files[1]);
	free(file);
	return result;
}
