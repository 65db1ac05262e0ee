/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribution of the layout effect to units of code. Random layouts are a designed experiment over every unit:
 * does a feature of its address explain the response? */
#ifndef IFR_HARNESS_ATTRIBUTION_H
#define IFR_HARNESS_ATTRIBUTION_H

#include "harness/analysis/unit_addresses.h"
#include "harness/statistics/statistics.h"

struct ifr_analysis;

/* Address features. Each divides the addresses of a unit into classes. */
enum ifr_feature {
	IFR_FEATURE_LINE,                       /* which 16 bytes of a 64-byte line the unit begins in */
	IFR_FEATURE_WINDOW,                     /* which half of a 32-byte window */
	IFR_FEATURE_WORD,                       /* which 4 bytes of 16 */
	IFR_FEATURE_PAGE,                       /* its 4 KiB page, where there are few */
	IFR_FEATURES,                           /* of one unit; the next is of two */
	IFR_FEATURE_SET_CONFLICT = IFR_FEATURES /* 1: shares a cache set with the other; 64 sets of 64-byte lines */
};

struct ifr_finding {
	const char *unit;            /* borrowed from the addresses, like the next two */
	const char *other;           /* the unit that it conflicts with; NULL but for IFR_FEATURE_SET_CONFLICT */
	const char *source;          /* where the unit begins in the sources, or NULL */
	const char *lead;            /* ifr_unit_addresses_lead of the unit, or NULL */
	const char *pin, *neighbour; /* why nothing moves the unit, and the nearest unit that can be moved; or NULL */
	uint64_t
		best_at; /* the address in the shipped program at which the unit has its best class; 0: none is known */
	enum ifr_feature feature;
	struct ifr_classes classes; /* of the layouts' medians; f and p of their normal scores */
	double p_adjusted;          /* over all units and features */
	double low_mean;            /* the response in the best class */
	struct ifr_interval
		difference; /* highest class less lowest, relative to it; for all pairs of classes at once */
};

struct ifr_attribution {
	/* The most significant first. All tested units; of pairs only the significant ones. */
	struct ifr_finding *findings;
	size_t count, found; /* found: the first of them, below a false discovery rate of 5 % */
	size_t conflicts;    /* findings about two units */
	size_t pairs;        /* of units that were tested for set conflicts: a family of hypotheses of their own */
	size_t units, first_units, layouts; /* first_units: those of the first family */
};

/* The class of an address, and the number of classes; pages count from the lowest address. */
unsigned ifr_feature_class(enum ifr_feature feature, uint64_t address, uint64_t lowest);
unsigned ifr_feature_class_count(enum ifr_feature feature);
/* Where a class begins in its frame, its bytes, and the frame's: 16, 16 and 64 for the second quarter of a
 * line. Not for IFR_FEATURE_SET_CONFLICT. */
void ifr_feature_class_extent(enum ifr_feature feature, unsigned class, unsigned *offset, unsigned *bytes,
                              unsigned *frame);

struct ifr_unit_extent {
	uint64_t at, bytes;
};

/* The address nearby at which a finding's unit has a class: the start of that class in its frame; for a set
 * conflict, the same offset in a line of the other's first set, or of the first set behind it. 0 where there is
 * none: two units that fill all sets together always conflict, and pages have no such address. */
uint64_t ifr_finding_address(const struct ifr_finding *finding, unsigned class, struct ifr_unit_extent unit,
                             struct ifr_unit_extent other);

/* The part of the false discovery rate that the first family has, where there are two. Units that run are the likely
 * causes, whose findings would drown among all others; reports, which show them alone, find what blame finds. Ref:
 * Genovese, Roeder, Wasserman 2006 (weights of hypotheses that are chosen without the response keep the rate). */
#define IFR_FIRST_PART 0.8

/* Tests every unit with addresses in two classes at least, each with three layouts, by analysis of variance of the
 * normal scores of the layouts' medians: a few slow layouts are no evidence, whatever their distribution. Over 2,000
 * simulated experiments of 48 layouts without an effect, 3 to 5 % have a finding, with normal, exponential, rarely
 * slow and tied layouts. Ref: van der Waerden 1952; Conover 1999, section 5.10. Errors: IFR_E_USAGE for fewer
 * than 8 layouts. The caller releases. */
int ifr_attribution_make(const struct ifr_analysis *analysis, const struct ifr_unit_addresses *addresses,
                         struct ifr_attribution *attribution, struct ifr_error *err);
/* The least share of the variation that one of so many tests of two classes must explain in so many layouts to be found:
 * its t is that of p = 0.05 / tests, and R^2 = t^2 / (t^2 + layouts - 2). 1 below three layouts. */
double ifr_attribution_least_share(double tests, size_t layouts);
void ifr_attribution_release(struct ifr_attribution *attribution);

#endif
