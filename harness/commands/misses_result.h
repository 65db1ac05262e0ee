/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of `interfero misses`, and how it is printed. */
#ifndef IFR_HARNESS_MISSES_RESULT_H
#define IFR_HARNESS_MISSES_RESULT_H

#include "common/buffer.h"
#include "harness/analysis/analysis.h"
#include "harness/simulate/simulate.h"

/* Contexts of each load that are described. */
enum { MISSES_DESCRIBED = 4 };

struct misses_result {
	const char *trace, *machine_name;
	const char *against; /* the plan of the other layout; NULL: none */
	const struct ifr_machine *machine;
	const char *recording, *damage; /* text of the trace; NULL: whole */
	unsigned level;
	bool core;
	double least, most; /* miss ratios of profiled loads */
	size_t top;
	const unsigned *lengths;
	size_t length_count;
	struct ifr_latency latency;
	bool latency_given; /* else it is the mean of the machine's penalties */
	struct ifr_load_misses profile;
	struct ifr_judged_loads judged;
	/* By load of profile.contexts: the contexts of its choice with the most references. */
	struct ifr_described_context (*described)[MISSES_DESCRIBED];
};

/* "L1D", "L2" or "L3". */
const char *misses_level_name(unsigned level);
/* The first setting of a level's cache: IFR_L1D_BYTES, … */
enum ifr_setting misses_level_setting(unsigned level);
/* The mean of what the misses of all loads at a level cost by the machine's penalties; 0 without misses. */
double misses_mean_latency(const struct ifr_load_summary *summary, const struct ifr_machine *machine,
                           unsigned level);
/* The mean of what the misses of one load at a level cost; 0 without misses. */
double misses_latency_of(const struct ifr_load_count *load, unsigned levels, const struct ifr_machine *machine,
                         unsigned level);
/* Describes the contexts of each load's choice. */
void misses_describe(struct misses_result *result, struct ifr_trace *trace);
void misses_result_release(struct misses_result *result);

/* The parts of the run's time under a scheme, in cycles: one instruction after another at the machine's width, stalls of
 * all misses of the level. Ref: Mowry and Luk 1997, figure 7. */
struct misses_time {
	double busy, other_stalls; /* other: of loads that are not profiled */
	double useful, wasted,
		untolerated; /* overhead of predicted misses that miss, and that hit; stalls of the others */
};
struct misses_time misses_time_of(const struct misses_result *result, enum ifr_miss_scheme scheme);
/* Without tolerance. */
double misses_time_plain(const struct misses_result *result);

/* The index of a profiled load in profile.order. */
size_t misses_rank(const struct misses_result *result, size_t load);

/* The figures' values of each scheme, in percent: of the references, of the summary's mispredictions, and of the time
 * without tolerance. */
enum { MISSES_ERRORS = 2, MISSES_TIMES = 5 };
struct misses_shares {
	double ratios[IFR_MISS_SCHEMES][IFR_MISS_RATIO_BINS];
	double mispredicted[IFR_MISS_SCHEMES][MISSES_ERRORS];
	double time[IFR_MISS_SCHEMES][MISSES_TIMES];
};
extern const char *const misses_ratio_names[IFR_MISS_RATIO_BINS], *const misses_error_names[MISSES_ERRORS],
																	  *const misses_time_names[MISSES_TIMES];
void misses_shares_find(const struct misses_result *result, struct misses_shares *shares);

/* Cycles that a reference to the profiled loads costs where tolerating one costs `overhead`: in no case, always, only at
 * misses, and under each scheme. There must be such loads. Ref: Mowry and Luk 1997, figure 5. */
struct misses_point {
	double never, always, ideal, schemes[IFR_MISS_SCHEMES];
};
struct misses_point misses_point_at(const struct misses_result *result, double overhead);

/* Sentences of the text, which the page has, too: what was found, and by which cache and costs. */
void misses_say_headline(const struct misses_result *result, struct ifr_buffer *text);
void misses_say_conditions(const struct misses_result *result, struct ifr_buffer *text);
/* The worth of the program's own prefetches; nothing without any. */
void misses_say_prefetches(const struct misses_result *result, struct ifr_buffer *text);
/* The k-th context that is described of a load: how many references miss after it. Returns false behind the last one that
 * has a hundredth of the load's references. */
bool misses_say_context(const struct misses_result *result, size_t i, unsigned k, const char *percent_sign,
                        struct ifr_buffer *text);

void misses_print_text(const struct misses_result *result, struct ifr_buffer *out);
/* Draws the figures of the contexts into a folder. Errors: IFR_E_USAGE without contexts; those of
 * ifr_stacked_bars_draw. */
int misses_draw(const struct misses_result *result, const char *dir, struct ifr_error *err);
void misses_print_json(const struct misses_result *result, struct ifr_buffer *out);

#endif
