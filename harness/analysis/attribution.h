/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which code? Random layouts are a designed experiment over every unit: does where it lies explain the response?
 */
#ifndef IFR_HARNESS_CODE_H
#define IFR_HARNESS_CODE_H

#include "harness/analysis/unit_addresses.h"
#include "harness/report/report.h"
#include "harness/statistics/statistics.h"

/* What of a unit's address is asked about. */
enum ifr_feature {
	IFR_FEATURE_LINE,   /* which 16 bytes of a 64-byte line it begins in */
	IFR_FEATURE_WINDOW, /* which half of a 32-byte window */
	IFR_FEATURE_WORD,   /* which 4 bytes of 16 */
	IFR_FEATURE_PAGE,   /* its 4 KiB page, where there are few */
	IFR_FEATURES,       /* of a unit's own place; one more asks about two units */
	IFR_FEATURE_SET_CONFLICT =
		IFR_FEATURES /* whether it meets another unit in a cache set: 64 sets of 64-byte lines */
};

struct ifr_finding {
	const char *unit; /* borrowed from the addresses, like the next two */
	const char
		*other; /* that it meets; NULL but for IFR_FEATURE_SET_CONFLICT, whose classes are 0 apart, 1 meeting */
	const char *source; /* where it begins in the sources, or NULL */
	enum ifr_feature kind;
	struct ifr_classes classes; /* of the layouts' medians */
	double p_adjusted;          /* over all units and kinds */
	double low_mean;            /* the response in the best class */
	struct ifr_interval
		difference; /* highest class less lowest, relative to it; for all pairs of classes at once */
};

struct ifr_attribution {
	struct ifr_finding
		*findings;       /* the surest first; all that were tested, but of pairs only those that found something */
	size_t count, found; /* found: of them, those below 5 % false discoveries */
	size_t meetings;     /* of the findings, those about two units */
	size_t pairs;        /* of units that were asked whether they meet: questions apart, with 5 % of their own */
	size_t units, layouts;
};

/* Classes of an address, and how many there are; pages count from the lowest. */
unsigned ifr_feature_class(enum ifr_feature kind, uint64_t address, uint64_t lowest);
unsigned ifr_feature_class_count(enum ifr_feature kind);

struct ifr_unit_extent {
	uint64_t at, bytes;
};

/* The address nearby at which a finding's unit, which lies at `unit`, is of a class: where that class begins in
 * its frame; for a meeting, in the sets of the other, or behind them, as far into a line as it is. 0 where there
 * is none: two that fill a way together cannot keep apart, nor is there one for pages. */
uint64_t ifr_finding_address(const struct ifr_finding *finding, unsigned class, struct ifr_unit_extent unit,
                             struct ifr_unit_extent other);

/* Tests every unit that lies in two classes at least, each with three layouts. Errors: IFR_E_USAGE for fewer than
 * 8 layouts. The caller releases. */
int ifr_attribution_make(const struct ifr_analysis *report, const struct ifr_unit_addresses *addresses,
                         struct ifr_attribution *code, struct ifr_error *err);
void ifr_attribution_release(struct ifr_attribution *code);

/* Appends the findings in words, at most 80 columns wide. */
void ifr_attribution_text(const struct ifr_analysis *report, const struct ifr_attribution *code,
                          struct ifr_buffer *out);

#endif
