/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The methods that a page rests on. Alternatives that somebody chose are no random layouts: pages of them name only the
 * methods for any groups of runs. */
#include "harness/report/html.h"
#include "harness/report/prose.h"

enum subject { ANY, LAYOUTS, ALTERNATIVES };

static const struct {
	enum subject subject;
	const char *text;
} methods[] = {
	{LAYOUTS,
     "The value of a layout is the median of its runs, detrended where the report names serial disturbances; "
     "layouts are compared, not runs. Nothing is imputed and no outlier is dropped."},
	{ALTERNATIVES,
     "The value of an alternative is the median of its runs; alternatives are compared, not runs. Nothing is "
     "imputed and no outlier is dropped."},
	{ANY, "Interval of a median: order statistics, distribution-free, with the confidence that the number of runs "
          "allows (David and Nagaraja 2003)."},
	{LAYOUTS,
     "Standard deviation between layouts: one-way random effects; interval of Bonett (2006) for the means of "
     "the layouts, less the noise after Zou and Donner (2008); below 8 layouts of Williams (1962)."},
	{LAYOUTS,
     "Outlying layouts: more than 4 robust standard deviations off, with an excess kurtosis above 1 (Iglewicz "
     "and Hoaglin 1993). Kinds not met: rule of three (Hanley and Lippman-Hand 1983)."},
	{ANY,
     "Serial disturbances: running median over neighbours in time, after Papadakis (1937) and Tukey (1977); "
     "runs that remain outliers are winsorised to three deviations for the F test and the standard deviations. "
     "Only where runs are serially correlated (Bartels 1982) or half a window in a row is an outlier."},
	{LAYOUTS,
     "Proportion of faster layouts: Clopper and Pearson (1934) at both ends of the shipped median's interval, "
     "after drawing the others together by the root of their reliability (Louis 1984)."},
	{LAYOUTS, "Difference from the median layout: Zou and Donner (2008)."},
	{LAYOUTS,
     "Best and worst against shipped: Student's t with the noise of all runs, Bonferroni over all layouts. "
     "Measured again: best linear unbiased prediction (Robinson 1991; Efron 2011)."},
	{LAYOUTS,
     "Normal distribution: Anderson and Darling's test after D'Agostino and Stephens (1986). Density: Gaussian "
     "kernel, Silverman's (1986) bandwidth."},
	{LAYOUTS,
     "Relative importance of counters: permutation test that repeats the choice of counters (Westfall and "
     "Young 1993), then Lindeman, Merenda and Gold (1980), with bootstrap intervals; checks of the residuals "
     "after Cook (1977) and Ramsey (1969)."},
	{LAYOUTS,
     "Regression: event and response of odd and even repetitions, both ways; slopes corrected for the event's "
     "noise (Fuller 1987), jackknife intervals (Miller 1974); p-values adjusted by Holm (1979); after Wang and "
     "Jim&eacute;nez (2011)."},
};

void ifr_html_methods(const struct ifr_analysis *analysis, struct ifr_buffer *out) {
	const enum subject other = ifr_prose_has_alternatives(analysis) ? LAYOUTS : ALTERNATIVES;
	ifr_buffer_puts(out, "<details><summary>How are the numbers computed?</summary>\n<ul class=\"methods\">");
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (methods[i].subject != other)
			ifr_buffer_printf(out, "%s<li>%s</li>", i ? "\n" : "", methods[i].text);
	ifr_buffer_puts(out, "</ul></details>\n");
}
