/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/statistics/crossed.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/statistics/crossed_reml.h"
#include "harness/statistics/distributions.h"

struct sums {
	double *means, *counts; /* [rows * columns] of the cells of complete rows, these first */
	double inverses, within, within_df;
	bool equal; /* counts */
};

static bool is_complete(const struct ifr_group *row, size_t columns) {
	for (size_t j = 0; j < columns; j++)
		if (!row[j].count)
			return false;
	return true;
}

static void add_row(const struct ifr_group *row, size_t columns, size_t first, struct sums *sums) {
	double *means = sums->means + first;
	for (size_t j = 0; j < columns; j++) {
		means[j] = gsl_stats_mean(row[j].values, 1, row[j].count);
		sums->counts[first + j] = (double)row[j].count;
		sums->equal &= sums->counts[first + j] == sums->counts[0];
		sums->within += gsl_stats_tss_m(row[j].values, 1, row[j].count, means[j]);
		sums->within_df += (double)row[j].count - 1;
		sums->inverses += 1 / (double)row[j].count;
	}
}

/* Sums of squares of the cells' means: of rows, and of cells beyond rows and columns. */
static void sum_squares(const double *means, size_t rows, size_t columns, double *of_rows, double *of_cells) {
	double grand = gsl_stats_mean(means, 1, rows * columns);
	*of_rows = *of_cells = 0;
	for (size_t i = 0; i < rows; i++) {
		const double row = gsl_stats_mean(means + i * columns, 1, columns);
		*of_rows += (double)columns * (row - grand) * (row - grand);
		for (size_t j = 0; j < columns; j++) {
			const double rest = means[i * columns + j] - row - gsl_stats_mean(means + j, columns, rows) + grand;
			*of_cells += rest * rest;
		}
	}
}

static double root_above_zero(double variance) {
	return variance > 0 ? sqrt(variance) : 0;
}

static void maximise_likelihood(const struct sums *sums, size_t columns, struct ifr_crossed *c) {
	const size_t count = c->rows * columns;
	const double grand = gsl_stats_mean(sums->means, 1, count);
	/* Levels cancel out; without them more digits remain. */
	for (size_t i = 0; i < count; i++)
		sums->means[i] -= grand;
	const struct ifr_crossed_cells cells = {sums->means, sums->counts, c->rows,
	                                        columns,     sums->within, sums->within_df + (double)count};
	ifr_crossed_reml(&cells, c);
}

static void find_components(const struct sums *sums, size_t columns, struct ifr_crossed *c) {
	double rows = 0, cells = 0;
	const double row_df = (double)c->rows - 1, cell_df = row_df * ((double)columns - 1),
				 size = (double)(c->rows * columns) / sums->inverses; /* harmonic mean */
	sum_squares(sums->means, c->rows, columns, &rows, &cells);
	c->ms_rows = size * rows / row_df;
	c->ms_cells = size * cells / cell_df;
	c->ms_runs = sums->within / sums->within_df;
	c->f = c->ms_runs > 0 ? c->ms_cells / c->ms_runs : 0;
	c->p = c->ms_runs > 0 ? gsl_cdf_fdist_Q(c->f, cell_df, sums->within_df) : 1;
	/* Where cells add nothing, their mean square is one more of the runs'. */
	const double pooled = c->ms_cells < c->ms_runs
	                          ? (c->ms_cells * cell_df + sums->within) / (cell_df + sums->within_df)
	                          : c->ms_cells;
	const double row_variance = (c->ms_rows - pooled) / (size * (double)columns);
	c->cell_sd = root_above_zero((c->ms_cells - c->ms_runs) / size);
	c->run_sd = root_above_zero(c->ms_cells < c->ms_runs ? pooled : c->ms_runs);
	c->row_sd = root_above_zero(row_variance);
	/* Otherwise these are of greatest likelihood already. */
	if (c->ms_runs > 0 && (!sums->equal || row_variance < 0))
		maximise_likelihood(sums, columns, c);
	const double both = c->row_sd * c->row_sd + c->cell_sd * c->cell_sd;
	c->correlation = both > 0 ? c->row_sd * c->row_sd / both : 0;
}

int ifr_crossed_estimate(const struct ifr_group *cells, size_t rows, size_t columns, struct ifr_crossed *crossed,
                         struct ifr_error *err) {
	struct sums sums = {.means = ifr_alloc((rows * columns + 1) * sizeof *sums.means),
	                    .counts = ifr_alloc((rows * columns + 1) * sizeof *sums.counts),
	                    .equal = true};
	struct ifr_crossed c = {0};
	int result = 0;
	for (size_t i = 0; i < rows * columns && !result; i++)
		result = ifr_values_check(cells[i].values, cells[i].count, 0, err);
	for (size_t i = 0; i < rows && !result; i++) {
		if (is_complete(cells + i * columns, columns))
			add_row(cells + i * columns, columns, c.rows++ * columns, &sums);
		else
			c.left_out++;
	}
	if (!result && (columns < 2 || c.rows < 2))
		result = ifr_fail(err, IFR_E_USAGE, "kinds of machines compare by two layouts at least that all measured");
	if (!result && sums.within_df < 1)
		result = ifr_fail(err, IFR_E_USAGE,
		                  "one run of each layout on each kind of machines does not tell their noise");
	if (!result) {
		find_components(&sums, columns, &c);
		*crossed = c;
	}
	free(sums.counts);
	free(sums.means);
	return result;
}
