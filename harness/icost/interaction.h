/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interaction costs: which causes cost the cycles of a run, and how they overlap.
 *
 * t(S) are the cycles of the run with the causes of S idealised (model/core/causes.h). Then
 *   cost(S)   t(nothing) - t(S)
 *   icost(U)  cost(U) less the icosts of all proper subsets of U, which is the sum of cost(V), over the subsets V of U,
 *             with a minus where U has an odd number of causes more
 * icost > 0: parallel; so many cycles go only if all causes of U are improved. icost < 0: serial; what one of them
 * removes, the others cannot remove again. 0: independent. The icosts of all sets add up to the cost of all causes.
 * Ref: Fields, Bodík, Hill and Newburn 2004, "Interaction cost and shotgun profiling", sections 2.1 to 2.3. */
#ifndef IFR_HARNESS_ICOST_INTERACTION_H
#define IFR_HARNESS_ICOST_INTERACTION_H

#include <stdbool.h>

#include "common/buffer.h"
#include "common/error.h"
#include "model/model.h"

/* The cycles of a run by set. */
struct ifr_icost {
	uint32_t causes;                     /* those that are asked about */
	const struct ifr_cause_about *sites; /* of causes from IFR_CAUSES on; borrowed. NULL: none is among them */
	uint32_t *sets;                      /* ascending: the first is the empty one, the last all causes */
	size_t count;                        /* of sets */
	bool all_subsets; /* the sets are all subsets, and not only those of two causes and the whole */
	bool singles;     /* the sets are none and single causes */
	struct ifr_ideal_times times;
};

enum { IFR_ICOST_CAUSES_MOST = 10 }; /* of which all subsets are taken */

/* Lists the sets to replay: none, each cause, each pair, and all causes; or all subsets. times stay empty. */
void ifr_icost_init(struct ifr_icost *icost, uint32_t causes, bool all_subsets);
/* Lists none, and each cause. */
void ifr_icost_init_singles(struct ifr_icost *icost, uint32_t causes);
/* The words about a cause, which may be a site; and the names of a set, as ifr_causes_print has them. */
const struct ifr_cause_about *ifr_icost_about(const struct ifr_icost *icost, unsigned cause);
void ifr_icost_print_set(const struct ifr_icost *icost, uint32_t set, struct ifr_buffer *out);
/* The place of a listed set in `sets`. */
size_t ifr_icost_find(const struct ifr_icost *icost, uint32_t set);
void ifr_icost_release(struct ifr_icost *icost);

/* Cycles, and the standard error that samples leave; 0: exact. */
struct ifr_icost_value {
	double cycles, error;
};
/* Of a set that is listed. */
double ifr_icost_time(const struct ifr_icost *icost, uint32_t set);
struct ifr_icost_value ifr_icost_cost(const struct ifr_icost *icost, uint32_t set);
/* Of a set whose subsets are all listed. */
struct ifr_icost_value ifr_icost_interaction(const struct ifr_icost *icost, uint32_t set);

/* Of a cause, where all subsets are listed: its Shapley value, which has an equal part of the icost of each set that the
 * cause is in. The shares of all causes add up to the cost of all causes.
 * Ref: Shapley 1953, "A value for n-person games". */
struct ifr_icost_value ifr_icost_share(const struct ifr_icost *icost, enum ifr_cause cause);
/* The weight in a cause's share of the time of a set; n: the number of causes. */
double ifr_icost_share_weight(unsigned n, uint32_t set, enum ifr_cause cause);

/* The cycles that a run takes less than another of the same trace. Where both have the same fragments, the error is
 * that of the difference; else those of both times. */
struct ifr_icost_value ifr_icost_saving(const struct ifr_icost *before, const struct ifr_icost *after);

enum ifr_icost_kind { IFR_ICOST_INDEPENDENT, IFR_ICOST_PARALLEL, IFR_ICOST_SERIAL };
extern const char *const ifr_icost_kinds[]; /* by enum ifr_icost_kind */
/* An interaction is none that is below a hundredth of the run's cycles, or below twice its standard error. */
enum ifr_icost_kind ifr_icost_kind(const struct ifr_icost *icost, const struct ifr_icost_value *value);

/* A breakdown as in table III of the paper: each cause alone, and with one of them, the focus. */
struct ifr_icost_breakdown {
	enum ifr_cause focus;
	enum ifr_cause order[IFR_CAUSE_LIMIT]; /* of the causes, by their costs */
	size_t count;
	struct ifr_icost_value alone[IFR_CAUSE_LIMIT], with_focus[IFR_CAUSE_LIMIT]; /* by cause */
	double other; /* cycles of all interactions that are not shown */
	double rest;  /* cycles with all causes idealised */
	double error; /* the largest standard error of the values above; 0: exact */
};
/* focus: IFR_CAUSE_LIMIT takes the cause of the largest cost. */
void ifr_icost_break_down(const struct ifr_icost *icost, enum ifr_cause focus,
                          struct ifr_icost_breakdown *breakdown);

/* The run under test, for reports. */
struct ifr_icost_run {
	const char *name, *machine;
	uint64_t instructions;
	const char *damage;                         /* of the trace; NULL: it is whole */
	const struct ifr_shotgun_coverage *profile; /* of the fragments that the times come from; NULL: from the run */
	const char *sampled;     /* the recording has one sample of each so many instructions; NULL: all of them */
	const char *approximate; /* parts whose layout the program's behaviour depends on; NULL: none */
	/* The command that gave the run, in two parts, between which other options fit; NULL: it is not offered again */
	const char *command, *input;
};
/* Prints what costs most, what overlaps with it, what to do about it, and the breakdown. */
void ifr_icost_text(const struct ifr_icost *icost, const struct ifr_icost_run *run, enum ifr_cause focus,
                    struct ifr_buffer *out);
void ifr_icost_json(const struct ifr_icost *icost, const struct ifr_icost_run *run, enum ifr_cause focus,
                    struct ifr_buffer *out);
/* A self-contained page, with the breakdown as stacked bars. */
void ifr_icost_html(const struct ifr_icost *icost, const struct ifr_icost_run *run, enum ifr_cause focus,
                    struct ifr_buffer *out);
/* Prints the causes, and how each is idealised: a command's help. */
void ifr_icost_print_causes(struct ifr_buffer *out);

#endif
