/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/campaign/confirmation.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/commands/progress.h"
#include "harness/store/experiment.h"
#include "harness/analysis/comparison.h"
#include "harness/report/wrap.h"

/* Two sets of layouts, in which one unit lies at two kinds of places. */
struct sets {
	char *folder;
	struct ifr_strings files[2]; /* best, worst */
};

/* Where a unit lies in a layout; at is 0 where that is not known. */
static struct ifr_code_extent extent_of(const struct intervention *in, size_t variant, const char *unit) {
	const struct ifr_addresses *from = &in->addresses;
	const size_t i = unit ? ifr_addresses_place(from, unit) : from->unit_count;
	if (i == from->unit_count)
		return (struct ifr_code_extent){0};
	return (struct ifr_code_extent){from->at[variant * from->unit_count + i], from->bytes ? from->bytes[i] : 0};
}

static int place_unit(struct ifr_plan *plan, const char *unit, uint64_t at, struct ifr_error *err) {
	for (size_t i = 0; i < plan->place_count; i++)
		if (!strcmp(plan->places[i].unit, unit))
			return ifr_fail(err, IFR_E_USAGE, "%s has a place by its plan already", unit);
	ifr_plan_place_at(plan, unit, at);
	return 0;
}

/* A layout with the finding's unit where a class has it, as a file; the path is the caller's. A unit that it meets
 * or not stays where it is. */
static int make_one(const struct intervention *in, const struct ifr_code_finding *f, size_t variant, size_t class,
                    const char *path, struct ifr_error *err) {
	const struct ifr_dataset_variant *from = &in->dataset->variants[variant];
	const struct ifr_code_extent unit = extent_of(in, variant, f->unit), other = extent_of(in, variant, f->other);
	const uint64_t at = ifr_code_place(f, (unsigned)class, unit, other);
	struct ifr_plan plan;
	struct ifr_variant made = {0};
	if (!unit.at || !at || (f->other && !other.at))
		return ifr_fail(err, IFR_E_USAGE, "%s has no such place in %s", f->unit, from->name);
	int result = ifr_plan_parse(from->plan, strlen(from->plan), from->name, &plan, err);
	if (result)
		return result;
	if (f->other)
		result = place_unit(&plan, f->other, other.at, err);
	if (!result)
		result = place_unit(&plan, f->unit, at, err);
	if (!result)
		result = ifr_relinker_make(in->relinker, &plan, path, &made, err);
	ifr_buffer_release(&made.facts);
	ifr_plan_release(&plan);
	return result;
}

static int make_pair(const struct intervention *in, const struct ifr_code_finding *f, size_t variant,
                     struct sets *sets, struct ifr_error *err) {
	const size_t classes[2] = {f->classes.lowest, f->classes.highest};
	const struct ifr_dataset_variant *from = &in->dataset->variants[variant];
	char *paths[2];
	int result = 0;
	for (int i = 0; i < 2; i++)
		paths[i] = ifr_format("%s/%c%s", sets->folder, "bw"[i], from -> name);
	for (int i = 0; i < 2 && !result; i++)
		result = make_one(in, f, variant, classes[i], paths[i], err);
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
		if (code->findings[i].kind != IFR_CODE_PAGE)
			return &code->findings[i];
	return NULL;
}

/* What the worse of two places costs; the caller frees. */
static char *describe_cost(const struct ifr_code_finding *f, double pct) {
	if (f->other)
		return ifr_format("%s %s costs %+.2f %%", f->classes.highest ? "meeting" : "keeping clear of", f->other,
		                  pct);
	return ifr_format("its worst place costs %+.2f %% against its best", pct);
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
		char *cost = describe_cost(f, 100 * (c.ratio - 1));
		ifr_buffer_printf(&s,
		                  "%s: moved alone in %zu layouts and measured afresh, %s "
		                  "(95 %% interval %+.2f %% to %+.2f %%, %s).",
		                  held       ? "Confirmed"
		                  : reversed ? "Not confirmed, it is the other way round"
		                             : "Not confirmed",
		                  c.layouts[1], cost, 100 * (c.interval.low - 1), 100 * (c.interval.high - 1),
		                  c.metric.name);
		ifr_buffer_puts(text, "\n");
		ifr_text_wrap(text, f->unit, "", "  ");
		free(cost);
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
