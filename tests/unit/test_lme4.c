/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixed models against R's lme4, fitted to the same data: layouts crossed with kinds of machines, layouts alone, kinds of
 * a comparison, and nodes. At full depth; skipped where R or lme4 is not installed. The tolerances are stated beside the
 * comparisons. Published results, at both depths: test_crossed_components.c and test_statistics.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "common/buffer.h"
#include "common/file.h"
#include "harness/analysis/analysis.h"
#include "harness/design/design.h"
#include "harness/statistics/statistics.h"
#include "tests/unit/depth.h"

enum { ROWS_MOST = 40, COLUMNS_MOST = 4, RUNS_MOST = 8 };

/* True values: standard deviations, and the numbers of runs of a cell. */
struct design {
	const char *name;
	size_t rows, columns, fewest, most;
	double row_sd, cell_sd, run_sd;
};

static const struct design designs[] = {
	{"balanced", 20, 3, 4, 4, 1, 0.5, 0.7},
	{"two kinds", 8, 2, 3, 3, 1, 1, 1},
	{"unbalanced", 25, 3, 1, 6, 1, 0.5, 0.7},
	{"far from balanced", 12, 4, 1, 8, 0.3, 1, 0.5},
	{"no cells", 15, 3, 3, 3, 1, 0, 1},
	{"no cells, unbalanced", 15, 3, 1, 5, 1, 0, 1},
	{"no rows", 10, 3, 3, 3, 0, 1, 1},
	{"no rows, unbalanced", 10, 3, 1, 5, 0, 1, 1},
	{"nothing but runs", 10, 2, 2, 2, 0, 0, 1},
	{"nothing, unbalanced", 10, 2, 1, 6, 0, 0, 1},
	{"layouts of logarithms", 40, 2, 2, 5, 0.01, 0.004, 0.002},
};
enum { DESIGNS = sizeof designs / sizeof *designs, SEEDS = 4 };

struct data {
	double values[ROWS_MOST][COLUMNS_MOST][RUNS_MOST];
	struct ifr_group cells[ROWS_MOST * COLUMNS_MOST];
};

static gsl_rng *seeded(unsigned long seed) {
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, seed);
	return rng;
}

static void draw(const struct design *design, unsigned long seed, struct data *data) {
	gsl_rng *rng = seeded(seed);
	for (size_t i = 0; i < design->rows; i++) {
		const double row = gsl_ran_gaussian(rng, design->row_sd);
		for (size_t j = 0; j < design->columns; j++) {
			const double cell = gsl_ran_gaussian(rng, design->cell_sd);
			const size_t runs = design->fewest + gsl_rng_uniform_int(rng, design->most - design->fewest + 1);
			for (size_t k = 0; k < runs; k++)
				data->values[i][j][k] = 10 + (double)j + row + cell + gsl_ran_gaussian(rng, design->run_sd);
			data->cells[i * design->columns + j] = (struct ifr_group){data->values[i][j], runs};
		}
	}
	gsl_rng_free(rng);
}

/* ---- R ---- */

static char *folder;

static void write_csv(const char *name, const struct ifr_buffer *text) {
	char *path = ifr_format("%s/%s.csv", folder, name);
	assert_int_equal(ifr_file_write(path, text->data, text->length, 0644, NULL), 0);
	free(path);
}

/* Runs a script of R in the folder, whose output is numbers; returns how many it printed. */
static size_t run_r(const char *script, double *numbers, size_t most) {
	char *path = ifr_format("%s/script.R", folder),
		 *command = ifr_format("cd %s && timeout 300 Rscript --vanilla script.R >out 2>errors", folder),
		 *out = ifr_format("%s/out", folder), *errors = ifr_format("%s/errors", folder);
	struct ifr_buffer text = {0};
	size_t count = 0;
	assert_int_equal(ifr_file_write(path, script, strlen(script), 0644, NULL), 0);
	if (system(command)) {
		ifr_file_read(errors, 0, &text, NULL);
		fail_msg("R: %s", ifr_buffer_text(&text));
	}
	assert_int_equal(ifr_file_read(out, 0, &text, NULL), 0);
	char *at = text.data ? (ifr_buffer_text(&text), text.data) : NULL, *end = at;
	for (; at && count < most; at = end, count++) {
		numbers[count] = strtod(at, &end);
		if (end == at)
			break;
	}
	ifr_buffer_release(&text);
	free(errors);
	free(out);
	free(command);
	free(path);
	return count;
}

static const char fit[] =
	"suppressMessages(library(lme4))\n"
	"control <- lmerControl(optimizer = 'nloptwrap', check.conv.singular = 'ignore', calc.derivs = FALSE,\n"
	"  optCtrl = list(xtol_abs = 1e-12, ftol_abs = 1e-14, maxeval = 100000))\n"
	"sd_of <- function(fit, group) attr(VarCorr(fit)[[group]], 'stddev')\n"
	"show <- function(...) cat(sprintf('%.17g', c(...)), sep = '\\n')\n";

static int begin(void **state) {
	(void)state;
	return ifr_temporary_dir(&folder, NULL);
}

static int end(void **state) {
	(void)state;
	ifr_tree_remove(folder, NULL);
	free(folder);
	return 0;
}

static void need_lme4(void) {
	if (!is_full_depth())
		skip();
	if (system("Rscript --vanilla -e 'library(lme4)' >/dev/null 2>&1")) {
		print_message("# R's lme4 is not installed\n");
		skip();
	}
}

static void near(const char *what, const char *name, unsigned long seed, double ours, double theirs, double most) {
	if (!(fabs(ours - theirs) <= most))
		fail_msg("%s, seed %lu: %s is %.9g, and %.9g of lme4 (at most %.3g apart)", name, seed, what, ours, theirs,
		         most);
}

/* ---- layouts crossed with kinds ---- */

static void put_crossed(const struct design *design, const struct data *data, struct ifr_buffer *text) {
	ifr_buffer_clear(text);
	ifr_buffer_puts(text, "y,row,col\n");
	for (size_t i = 0; i < design->rows * design->columns; i++)
		for (size_t k = 0; k < data->cells[i].count; k++)
			ifr_buffer_printf(text, "%.17g,r%zu,c%zu\n", data->cells[i].values[k], i / design->columns,
			                  i % design->columns);
}

/* The standard deviations: within 1e-4 of the greatest, of all designs; exactly 0 where lme4 is at the boundary. */
static void test_crossed(void **state) {
	(void)state;
	need_lme4();
	struct ifr_buffer text = {0}, script = {0};
	double theirs[DESIGNS * SEEDS * 3];
	unsigned boundary = 0;
	ifr_buffer_puts(&script, fit);
	for (size_t d = 0; d < DESIGNS; d++)
		for (unsigned long seed = 0; seed < SEEDS; seed++) {
			struct data data;
			char name[32];
			draw(&designs[d], 100 * d + seed, &data);
			put_crossed(&designs[d], &data, &text);
			snprintf(name, sizeof name, "crossed%zu-%lu", d, seed);
			write_csv(name, &text);
			ifr_buffer_printf(&script,
			                  "f <- lmer(y ~ col + (1|row) + (1|row:col), read.csv('%s.csv'), control = control)\n"
			                  "show(sd_of(f, 'row'), sd_of(f, 'row:col'), sigma(f))\n",
			                  name);
		}
	assert_int_equal(run_r(ifr_buffer_text(&script), theirs, DESIGNS * SEEDS * 3), DESIGNS * SEEDS * 3);
	for (size_t d = 0; d < DESIGNS; d++)
		for (unsigned long seed = 0; seed < SEEDS; seed++) {
			struct data data;
			struct ifr_crossed c;
			const double *lme4 = theirs + 3 * (d * SEEDS + seed),
						 most = 1e-4 * fmax(lme4[0], fmax(lme4[1], lme4[2]));
			draw(&designs[d], 100 * d + seed, &data);
			assert_int_equal(ifr_crossed_estimate(data.cells, designs[d].rows, designs[d].columns, &c, NULL), 0);
			near("sd of rows", designs[d].name, seed, c.row_sd, lme4[0], most);
			near("sd of cells", designs[d].name, seed, c.cell_sd, lme4[1], most);
			near("sd of runs", designs[d].name, seed, c.run_sd, lme4[2], most);
			boundary += c.row_sd == 0 || c.cell_sd == 0;
		}
	/* Six designs have no rows, or no cells, or neither: about half of their sets lie at the boundary. */
	assert_in_range(boundary, 6, 24);
	ifr_buffer_release(&script);
	ifr_buffer_release(&text);
}

/* ---- layouts alone ---- */

/* Components of runs within layouts: within 1e-4 of the greater. Their mean: within 2 % of its standard error, as our
 * weights have the noise within layouts alone. The standard error: within 25 %, as ours is of the weighted spread of the
 * layouts (Hartung and Knapp), lme4's of the model. */
static void test_layouts(void **state) {
	(void)state;
	need_lme4();
	enum { LAYOUTS = 40 };
	static const struct design sizes[] = {{"balanced", LAYOUTS, 1, 4, 4, 1, 0, 0.7},
	                                      {"unbalanced", LAYOUTS, 1, 1, 8, 1, 0, 0.7},
	                                      {"noisy", LAYOUTS, 1, 2, 8, 0.3, 0, 1},
	                                      {"no layouts", LAYOUTS, 1, 1, 8, 0, 0, 1}};
	enum { SETS = sizeof sizes / sizeof *sizes };
	struct ifr_buffer text = {0}, script = {0};
	double theirs[SETS * SEEDS * 4];
	ifr_buffer_puts(&script, fit);
	for (size_t d = 0; d < SETS * SEEDS; d++) {
		struct data data;
		char name[32];
		draw(&sizes[d / SEEDS], 5000 + d, &data);
		put_crossed(&sizes[d / SEEDS], &data, &text);
		snprintf(name, sizeof name, "layouts%zu", d);
		write_csv(name, &text);
		ifr_buffer_printf(&script,
		                  "f <- lmer(y ~ 1 + (1|row), read.csv('%s.csv'), control = control)\n"
		                  "show(sd_of(f, 'row'), sigma(f), fixef(f), sqrt(vcov(f)[1, 1]))\n",
		                  name);
	}
	assert_int_equal(run_r(ifr_buffer_text(&script), theirs, SETS * SEEDS * 4), SETS * SEEDS * 4);
	for (size_t d = 0; d < SETS * SEEDS; d++) {
		struct data data;
		struct ifr_mean mean;
		double between, within;
		const double *lme4 = theirs + 4 * d, most = 1e-4 * fmax(lme4[0], lme4[1]);
		const char *name = sizes[d / SEEDS].name;
		draw(&sizes[d / SEEDS], 5000 + d, &data);
		ifr_reml_estimate(data.cells, LAYOUTS, &between, &within);
		near("sd of layouts", name, d, sqrt(between), lme4[0], most);
		near("sd of runs", name, d, sqrt(within), lme4[1], most);
		assert_int_equal(ifr_mean_estimate(data.cells, LAYOUTS, 0.95, &mean, NULL), 0);
		near("mean", name, d, mean.mean, lme4[2], 0.02 * lme4[3]);
		near("standard error", name, d, mean.se, lme4[3], 0.25 * lme4[3]);
	}
	ifr_buffer_release(&script);
	ifr_buffer_release(&text);
}

/* ---- experiments ---- */

static void name_node(struct ifr_dataset *dataset, size_t number, const char *processor) {
	struct ifr_dataset_node *node = ifr_dataset_add_node(dataset);
	node->host = ifr_format("n%zu", number);
	node->processor = ifr_strdup(processor);
}

static void add_run(struct ifr_dataset *dataset, unsigned variant, unsigned repetition, unsigned node,
                    double value) {
	struct ifr_dataset_run *run = ifr_dataset_add_run(dataset);
	run->variant = variant;
	run->repetition = repetition;
	run->node = node;
	run->started_ns = (int64_t)dataset->run_count * 1000;
	run->value[0] = value;
}

static void begin_dataset(struct ifr_dataset *dataset, unsigned layouts, unsigned programs) {
	ifr_dataset_init(dataset);
	ifr_dataset_add_fact(dataset, "axes", "functions");
	ifr_dataset_add_fact(dataset, "seed", "1");
	ifr_dataset_add_fact(dataset, "processor", "none");
	struct ifr_dataset_counter *counter = ifr_dataset_add_counter(dataset);
	snprintf(counter->name, sizeof counter->name, "cpu_time");
	snprintf(counter->unit, sizeof counter->unit, "ns");
	snprintf(counter->source, sizeof counter->source, "clock");
	for (unsigned p = 0; p < programs; p++)
		for (unsigned i = 0; i <= layouts; i++) {
			struct ifr_dataset_variant *variant = ifr_dataset_add_variant(dataset);
			variant->program = p;
			variant->layout = i;
			ifr_variant_name(p, i, variant->name);
			variant->plan = ifr_strdup("");
			variant->build_id = ifr_strdup("");
			variant->facts = ifr_strdup("");
			variant->sha256 = ifr_strdup("");
		}
}

/* The ratio over kinds, its interval, and the F of the kinds: those of ratio ~ kind + (1|layout) with contrasts that sum
 * to zero, within 1e-6 where the layouts' variance is above zero. There lme4's standard error is that of the layouts'
 * means, and the interval has their degrees of freedom. */
static void test_kinds_of_a_comparison(void **state) {
	(void)state;
	need_lme4();
	enum { LAYOUTS = 24, KINDS = 3, SETS = 4 };
	struct ifr_buffer text = {0}, script = {0};
	struct ifr_comparison_kinds ours[SETS];
	double theirs[SETS * 4];
	gsl_rng *rng = seeded(77);
	ifr_buffer_puts(&script, fit);
	for (unsigned set = 0; set < SETS; set++) {
		static const char *const kinds[KINDS] = {"this", "that", "other"};
		struct ifr_dataset dataset;
		char name[32];
		begin_dataset(&dataset, LAYOUTS, 2);
		ifr_buffer_clear(&text);
		ifr_buffer_puts(&text, "y,row,col\n");
		for (unsigned k = 0; k < KINDS; k++)
			name_node(&dataset, k, kinds[k]);
		for (unsigned i = 1; i <= LAYOUTS; i++) {
			const double effect = gsl_ran_gaussian(rng, 0.02);
			for (unsigned k = 0; k < KINDS; k++) {
				const double old = 1e6 * exp(gsl_ran_gaussian(rng, 0.05)),
							 ratio = 0.03 + 0.01 * (set % 2) * k + effect + gsl_ran_gaussian(rng, 0.01);
				add_run(&dataset, i, 0, k + 1, old);
				add_run(&dataset, LAYOUTS + 1 + i, 0, k + 1, old * exp(ratio));
				ifr_buffer_printf(&text, "%.17g,r%u,%s\n", ratio, i, kinds[k]);
			}
		}
		const struct ifr_comparison_side old = {.dataset = &dataset}, new = {.dataset = &dataset, .program = 1};
		ifr_comparison_kinds_make(&old, &new, NULL, &ours[set]);
		snprintf(name, sizeof name, "kinds%u", set);
		write_csv(name, &text);
		ifr_buffer_printf(&script,
		                  "d <- read.csv('%s.csv', stringsAsFactors = TRUE)\ncontrasts(d$col) <- contr.sum(%d)\n"
		                  "f <- lmer(y ~ col + (1|row), d, control = control)\n"
		                  "half <- qt(0.975, %d) * sqrt(vcov(f)[1, 1])\n"
		                  "show(exp(fixef(f)[1] + c(0, -half, half)), anova(f)[1, 'F value'])\n",
		                  name, KINDS, LAYOUTS - 1);
		ifr_dataset_release(&dataset);
	}
	assert_int_equal(run_r(ifr_buffer_text(&script), theirs, SETS * 4), SETS * 4);
	for (unsigned set = 0; set < SETS; set++) {
		const double *lme4 = theirs + 4 * set;
		assert_int_equal(ours[set].layouts, LAYOUTS);
		near("ratio", "kinds", set, ours[set].ratio, lme4[0], 1e-6);
		near("low end", "kinds", set, ours[set].interval.low, lme4[1], 1e-6);
		near("high end", "kinds", set, ours[set].interval.high, lme4[2], 1e-6);
		near("F", "kinds", set, ours[set].f, lme4[3], 1e-4 * lme4[3]);
		ifr_comparison_kinds_release(&ours[set]);
	}
	gsl_rng_free(rng);
	ifr_buffer_release(&script);
	ifr_buffer_release(&text);
}

/* Levels of four nodes of one kind, each with about half of the runs of all layouts: y ~ node + (1|layout). Ours are
 * medians, whose errors are those of means times sqrt(pi / 2): within three of lme4's standard errors of each
 * difference. The nodes' noise, known to differ, is that of R's pooled variances within 1e-9. */
static void test_nodes(void **state) {
	(void)state;
	need_lme4();
	enum { LAYOUTS = 30, NODES = 4, REPETITIONS = 8 };
	static const double levels[NODES] = {0, 0.05, -0.03, 0.2}, noise[NODES] = {0.01, 0.01, 0.02, 0.01};
	struct ifr_buffer text = {0}, script = {0};
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis;
	double theirs[NODES - 1 + NODES - 1 + NODES];
	gsl_rng *rng = seeded(4);
	begin_dataset(&dataset, LAYOUTS, 1);
	ifr_buffer_puts(&text, "y,row,node\n");
	for (unsigned n = 0; n < NODES; n++)
		name_node(&dataset, n, "one");
	for (unsigned i = 0; i <= LAYOUTS; i++) {
		const double effect = gsl_ran_gaussian(rng, 0.03);
		for (unsigned r = 0; r < REPETITIONS; r++) {
			const unsigned node = (unsigned)gsl_rng_uniform_int(rng, NODES);
			const double y = 14 + levels[node] + effect + gsl_ran_gaussian(rng, noise[node]);
			add_run(&dataset, i, r, node + 1, exp(y));
			ifr_buffer_printf(&text, "%.17g,r%u,n%u\n", y, i, node);
		}
	}
	write_csv("nodes", &text);
	ifr_buffer_puts(&script, fit);
	ifr_buffer_puts(&script, "d <- read.csv('nodes.csv', stringsAsFactors = TRUE)\n"
	                         "f <- lmer(y ~ node + (1|row), d, control = control)\n"
	                         "show(fixef(f)[2:4], sqrt(diag(as.matrix(vcov(f))))[2:4])\n"
	                         "for (n in levels(d$node)) show(sigma(lm(y ~ row, subset(d, node == n))))\n");
	assert_int_equal(run_r(ifr_buffer_text(&script), theirs, 3 * NODES - 2), 3 * NODES - 2);
	assert_int_equal(ifr_analysis_make(&dataset, NULL, &analysis, NULL), 0);
	const struct ifr_machine_node *found[NODES] = {0};
	assert_int_equal(analysis->machines.nodes, NODES);
	for (size_t i = 0; i < NODES; i++)
		found[analysis->machines.node[i].host[1] - '0'] = &analysis->machines.node[i];
	for (unsigned n = 0; n < NODES; n++) {
		assert_non_null(found[n]);
		near("noise", "nodes", n, found[n]->run_sd, theirs[2 * (NODES - 1) + n], 1e-9);
	}
	for (unsigned n = 1; n < NODES; n++)
		near("level", "nodes", n, log(found[n]->level / found[0]->level), theirs[n - 1],
		     3 * theirs[NODES - 2 + n]);
	assert_ptr_equal(found[2], &analysis->machines.node[0]);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	gsl_rng_free(rng);
	ifr_buffer_release(&script);
	ifr_buffer_release(&text);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crossed),
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_kinds_of_a_comparison),
		cmocka_unit_test(test_nodes),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
