/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/looking.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "harness/commands/commands.h"
#include "harness/experiment/experiment.h"
#include "harness/report/report.h"
#include "harness/statistics/inference.h"

static const double level = 0.05, prospect_least = 0.05;

static unsigned layouts_at(const struct looking *looking, unsigned look) {
	return (unsigned)((uint64_t)looking->layouts * look / looking->looks);
}

unsigned looking_begin(struct looking *looking, unsigned layouts) {
	looking->layouts = layouts;
	looking->look = 1;
	if (looking->looks > layouts / 4)
		looking->looks = layouts >= 8 ? layouts / 4 : 1;
	return layouts_at(looking, 1);
}

/* What a look finds out. */
struct found {
	struct ifr_report_evidence evidence;
	double z, bound, last_bound; /* of the evidence, at this look, and at the last one */
};

static int look_at(const struct looking *looking, const char *experiment, struct found *found,
                   struct ifr_error *err) {
	struct ifr_dataset dataset;
	struct ifr_report *report = NULL;
	double information[IFR_INTERIM_MAX], z[IFR_INTERIM_MAX];
	for (unsigned i = 0; i < looking->looks; i++)
		information[i] = (double)layouts_at(looking, i + 1) / looking->layouts;
	int result = ifr_interim_bounds(level, information, looking->looks, z, err);
	if (!result)
		result = ifr_experiment_load(experiment, &dataset, err);
	if (result)
		return result;
	result = ifr_report_analyse(&dataset, looking->metric, &report, err);
	if (!result) {
		ifr_report_weigh(report, &found->evidence);
		found->z = gsl_cdf_ugaussian_Qinv(fmin(fmax(found->evidence.p, 1e-300), 1) / 2);
		found->bound = z[looking->look - 1];
		found->last_bound = z[looking->looks - 1];
	}
	ifr_report_free(report);
	ifr_dataset_release(&dataset);
	return result;
}

/* Says it, and keeps it with the experiment. */
static int say(const char *experiment, char *text, struct ifr_error *err) {
	struct ifr_experiment *opened = NULL;
	ifr_command_note("%s", text);
	int result = ifr_experiment_open(experiment, &opened, err);
	if (!result)
		result = ifr_experiment_warn(opened, text, err);
	ifr_experiment_close(opened);
	free(text);
	return result;
}

/* Where a width was asked for, nothing else ends it. */
static char *judge_width(const struct looking *looking, const struct found *found, bool last) {
	double width = found->evidence.width;
	if (found->evidence.has_width && width <= looking->until)
		return ifr_format(
			"Ended with %u of %u layouts: the 95 %% interval of the mean is %.2g %% of it wide, which is "
			"as narrow as asked.",
			layouts_at(looking, looking->look), looking->layouts, 100 * width);
	if (!last)
		return NULL;
	return found->evidence.has_width
	           ? ifr_format(
					 "The 95 %% interval of the mean is still %.2g %% of it wide with all %u layouts: wider than "
					 "asked.",
					 100 * width, looking->layouts)
	           : ifr_format("How well the mean is known cannot be told, so that no width was reached.");
}

static char *judge_level(const struct looking *looking, const struct found *found, bool last) {
	const struct ifr_report_evidence *e = &found->evidence;
	unsigned layouts = layouts_at(looking, looking->look);
	double information = (double)layouts / looking->layouts;
	if (found->z > found->bound)
		return ifr_format(
			"Look %u of %u, %u layouts: %s is significant (p = %.2g, under the %.2g that planned looks "
			"leave, Lan and DeMets 1983).",
			looking->look, looking->looks, layouts, e->what, e->p, 1 - ifr_interim_confidence(found->bound));
	if (last)
		return ifr_format(
			"Not significant with all %u layouts: %s (p = %.2g, and %.2g is what planned looks leave).",
			looking->layouts, e->what, e->p, 1 - ifr_interim_confidence(found->bound));
	if (ifr_interim_conditional_power(found->z, information, found->last_bound) >= prospect_least)
		return NULL;
	return ifr_format(
		"Ended at look %u of %u, %u layouts: %s (p = %.2g) will hardly become significant with all %u.",
		looking->look, looking->looks, layouts, e->what, e->p, looking->layouts);
}

int looking_judge(struct looking *looking, const char *experiment, unsigned *next, struct ifr_error *err) {
	struct found found = {0};
	bool last = looking->look == looking->looks;
	*next = 0;
	if (looking->looks < 2 && !(looking->until > 0))
		return 0;
	int result = look_at(looking, experiment, &found, err);
	if (result)
		return result;
	char *ended = looking->until > 0 ? judge_width(looking, &found, last) : judge_level(looking, &found, last);
	if (ended)
		return say(experiment, ended, err);
	*next = layouts_at(looking, ++looking->look);
	return 0;
}
