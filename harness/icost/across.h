/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The causes and interactions that make layouts differ in cycles, and the code that they do it in.
 *
 * Each layout l has times t_l(S), by set S. A difference of layouts is a sum of their cycles with weights w_l:
 *   two layouts      w = -1 and +1: the difference in cycles
 *   several layouts  w_l = (t_l - mean) / ((n - 1) * s), where s is the standard deviation of their cycles: then the sum
 *                    of w_l t_l is s, and that of w_l icost_l(U) is the covariance of the icost with the cycles, over s
 * Cost and icost are sums of times, so that those of the weighted times T(S) = sum of w_l t_l(S) are the weighted sums of
 * the layouts' own. The identity of interaction cost holds for them:
 *   T(nothing) = sum of icost(U) over all sets U of causes + T(all causes)
 * A cause's share has an equal part of each icost that it is in (ifr_icost_share); all shares and T(all causes) are the
 * difference. The causes are the few that alone make most of it, as their sets double with each.
 * By code: the cycles of a set are the sum over lines of those by which a line's slots retire later than the slots before
 * them; so is each icost, and each difference.
 * Ref: Fields et al. 2004, section 2.2 (the identity). */
#ifndef IFR_HARNESS_ICOST_ACROSS_H
#define IFR_HARNESS_ICOST_ACROSS_H

#include "harness/icost/interaction.h"
#include "harness/simulate/simulate.h"

enum { IFR_ACROSS_CAUSES_MOST = 5 };

struct ifr_across_request {
	struct ifr_trace *trace;
	const struct ifr_plan *plans;
	size_t count;     /* of plans, two at least */
	bool two_layouts; /* of two: the second less the first; else the spread */
	const struct ifr_machine *machine;
	enum ifr_core_use core; /* not IFR_CORE_NONE */
	uint32_t causes;
	void (*progress)(double share, int64_t spent_ns); /* as in struct ifr_plan_replay */
};

struct ifr_across {
	struct ifr_icost icost; /* of the weighted times; all subsets of the chosen causes */
	double *cycles;         /* by layout */
	double *weights;
	size_t layouts;
	double difference; /* the sum of all parts: T(nothing) */
	uint64_t instructions;
	struct ifr_code_lines lines;
	double *line_cycles; /* [set * lines + line]: weighted cycles, by the sets of icost */
};

/* Replays the layouts: once under each cause, then under all sets of those that matter, by instruction. Errors: those of
 * ifr_replay_plans. The caller releases the result, after an error, too. */
int ifr_across_find(const struct ifr_across_request *request, struct ifr_across *across, struct ifr_error *err);
void ifr_across_release(struct ifr_across *across);

/* Sets the weights of layouts from their cycles, and the difference. */
void ifr_across_weigh(struct ifr_across *across, bool two_layouts);

/* The part of a line in the difference, and in a cause's share. */
double ifr_across_line(const struct ifr_across *across, size_t line);
double ifr_across_line_share(const struct ifr_across *across, enum ifr_cause cause, size_t line);

/* The parts of the difference. */
struct ifr_across_part {
	uint32_t set;
	struct ifr_icost_value value; /* the share of one cause; the icost of more */
};
struct ifr_across_parts {
	struct ifr_across_part *causes, *interactions; /* the largest first, of either sign */
	size_t causes_count, interactions_count;
	double rest; /* with all these causes idealised */
};
void ifr_across_list(const struct ifr_across *across, struct ifr_across_parts *parts);
void ifr_across_parts_release(struct ifr_across_parts *parts);

/* Functions, or lines, by the size of their part of the difference. */
struct ifr_across_place {
	const char *function, *line; /* line: of a function, that with its largest part */
	double cycles;
	double shares[IFR_CAUSES];
	enum ifr_cause cause; /* with the largest share, of the sign of cycles; IFR_CAUSES: none */
};
struct ifr_across_places {
	struct ifr_across_place *items;
	size_t count;
};
void ifr_across_places(const struct ifr_across *across, bool functions, struct ifr_across_places *places);
void ifr_across_places_release(struct ifr_across_places *places);

struct ifr_across_run {
	struct ifr_icost_run run;
	const char *first, *second; /* names of two layouts; NULL: of several */
};
void ifr_across_text(const struct ifr_across *across, const struct ifr_across_run *run, struct ifr_buffer *out);
void ifr_across_json(const struct ifr_across *across, const struct ifr_across_run *run, struct ifr_buffer *out);

#endif
