/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The upkeep of a pinned layout, while the program is edited.
 *
 *     check     whether the layout is still better than the plain one
 *     refresh   what is gone leaves the plan, hot functions that are new get places in it
 *     stable    a layout that edits disturb least, and its price
 *
 * Each ends with the confirmation of a search. */
#ifndef IFR_HARNESS_UPKEEP_H
#define IFR_HARNESS_UPKEEP_H

enum ifr_upkeep_kind { IFR_UPKEEP_CHECK, IFR_UPKEEP_REFRESH, IFR_UPKEEP_STABLE };
extern const char *const ifr_upkeep_names[]; /* by enum ifr_upkeep_kind: check, refresh, stable */

struct ifr_upkeep_request {
	enum ifr_upkeep_kind kind;
	const struct ifr_optimization
		*search;           /* without rounds and candidates; its file is a folder of the upkeep's own,
	                                          without experiments */
	const char *plan_file; /* the pinned layout; of stable, the layout to begin with, NULL: shipped */
	const char *output; /* a plan that is written where the layout is worth it, with its other forms; NULL: none */
};

/* Growth of a function in the measure of stability. */
enum { IFR_STABILITY_BYTES = 16 };

struct ifr_upkeep {
	enum ifr_upkeep_kind kind;
	bool pinned;          /* the program that was given has a pinned layout itself */
	char *missing;        /* describes units that are gone, as ifr_missing_units_describe; NULL: none */
	size_t missing_count; /* units */
	size_t new_functions; /* hot functions that the plan had no place for */
	size_t placed;        /* of them, those that have one now: all, or none where the layout is faster without */
	size_t tried;         /* layouts measured before the confirmation */
	struct ifr_optimum optimum;  /* the confirmation of the layout; plan_file: where it is written */
	size_t functions;            /* of a stable layout: that may move */
	size_t loops_aligned;        /* hot functions whose loops are aligned */
	double moved_shipped, moved; /* the mean share of the others that move when one grows by IFR_STABILITY_BYTES */
	uint64_t slack_bytes;        /* in all */
};

/* Errors: those of recordings and campaigns; IFR_E_USAGE for a program without a kit, and for a plan that names none of
 * its units. */
int ifr_upkeep_run(const struct ifr_upkeep_request *request, struct ifr_upkeep *upkeep, struct ifr_error *err);
void ifr_upkeep_release(struct ifr_upkeep *upkeep);
/* Whether the layout is worth keeping: better than the plain one by the goal, or if it is to be stable, not slower. */
bool ifr_upkeep_holds(const struct ifr_upkeep *upkeep);

/* Appends the outcome as text, and as JSON. */
void ifr_upkeep_text(const struct ifr_upkeep *upkeep, const char *program, struct ifr_buffer *out);
void ifr_upkeep_json(const struct ifr_upkeep *upkeep, const char *program, struct ifr_buffer *out);

#endif
