/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report says, in order, piece by piece: every form of it prints the same sentences. Private to this
 * folder. */
#ifndef IFR_HARNESS_REPORT_PROSE_H
#define IFR_HARNESS_REPORT_PROSE_H

#include "harness/analysis/analysis_result.h"
#include "harness/report/format.h"

enum ifr_prose_kind {
	IFR_PROSE_TITLE,
	IFR_PROSE_HEADING,
	IFR_PROSE_PARAGRAPH,
	IFR_PROSE_ITEM,
	IFR_PROSE_WARNING,
	IFR_PROSE_CODE,   /* lines, each ended */
	IFR_PROSE_FIGURE, /* text is a figure's name, or its beginning when it ends in '-' */
	IFR_PROSE_PLOT,   /* the layouts in characters */
	IFR_PROSE_TABLE
};

typedef void ifr_prose_emit(void *context, enum ifr_prose_kind kind, const char *text);

/* Says everything; text is not escaped yet and lives until emit returns. */
void ifr_prose_tell(const struct ifr_analysis *report, ifr_prose_emit *emit, void *context);

/* A sentence being put together, and where it goes. */
struct ifr_prose {
	const struct ifr_analysis *report;
	struct ifr_scale scale;
	struct ifr_buffer text;
	ifr_prose_emit *emit;
	void *context;
};

/* Emits what stands in text, if anything, and empties it. */
void ifr_prose_end(struct ifr_prose *prose, enum ifr_prose_kind kind);
void ifr_prose_say(struct ifr_prose *prose, enum ifr_prose_kind kind, const char *text);

/* The parts, in their order. */
void ifr_prose_spread(struct ifr_prose *prose);
void ifr_prose_shipped(struct ifr_prose *prose);
void ifr_prose_extremes(struct ifr_prose *prose);
void ifr_prose_basis(struct ifr_prose *prose);
void ifr_prose_counters(struct ifr_prose *prose);

/* "faster" or "lower", "slower" or "higher". */
const char *ifr_prose_less(const struct ifr_analysis *report);
const char *ifr_prose_more(const struct ifr_analysis *report);

/* Appends "95 % interval 1.2 % to 2.3 %", with the directions where it holds both. */
void ifr_prose_interval(struct ifr_prose *prose, const struct ifr_interval *pct);

/* Appends a share in whole percent; one that is not quite all is "over 99 %". */
void ifr_prose_share(struct ifr_buffer *text, double pct);

/* Appends the commands and the plan that repeat a layout, and returns true; false if the experiment has no plan
 * for it. */
bool ifr_prose_recipe(const struct ifr_analysis *report, const struct ifr_layout *layout, struct ifr_buffer *code);

#endif
