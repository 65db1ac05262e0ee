/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sentences of a report, piece by piece and in order, for every form of it. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_PROSE_H
#define IFR_HARNESS_REPORT_PROSE_H

#include "harness/report/format.h"

enum ifr_prose_kind {
	IFR_PROSE_TITLE,
	IFR_PROSE_LEAD,    /* one of the three lines that the report opens with */
	IFR_PROSE_COMMAND, /* the third one's command, one line without its end */
	IFR_PROSE_HEADING,
	IFR_PROSE_FOLDED, /* heading of a section that is folded where that is possible */
	IFR_PROSE_PARAGRAPH,
	IFR_PROSE_ITEM,
	IFR_PROSE_WARNING,
	IFR_PROSE_CODE,   /* lines, each ended */
	IFR_PROSE_FIGURE, /* text is a figure's name, or its beginning when it ends in '-' */
	IFR_PROSE_UNITS,  /* the picture of where units lie */
	IFR_PROSE_PLOT,   /* in characters: the layouts, or with the text "0" or "1" that sweep */
	IFR_PROSE_TABLE
};

typedef void ifr_prose_emit(void *context, enum ifr_prose_kind kind, const char *text);

/* Emits the whole report. Text is not escaped yet and lives until emit returns. */
void ifr_prose_tell(const struct ifr_analysis *analysis, ifr_prose_emit *emit, void *context);

/* A sentence under construction and its destination. */
struct ifr_prose {
	const struct ifr_analysis *analysis;
	struct ifr_buffer text;
	ifr_prose_emit *emit;
	void *context;
};

/* Emits the text, if there is any, and empties it. */
void ifr_prose_end(struct ifr_prose *prose, enum ifr_prose_kind kind);
void ifr_prose_say(struct ifr_prose *prose, enum ifr_prose_kind kind, const char *text);

/* The sections. */
void ifr_prose_lead(struct ifr_prose *prose);
/* Notes on a program that chooses its own iterations; and the table of its benchmarks, if it has several. */
void ifr_prose_adaptation(struct ifr_prose *prose);
void ifr_prose_benchmarks(struct ifr_prose *prose);
void ifr_prose_sweep(struct ifr_prose *prose); /* nothing where layouts are random */
void ifr_prose_spread(struct ifr_prose *prose);
void ifr_prose_copies(struct ifr_prose *prose);   /* a paragraph of the section before */
void ifr_prose_machines(struct ifr_prose *prose); /* nothing where one machine ran all */
void ifr_prose_shipped(struct ifr_prose *prose);
void ifr_prose_extremes(struct ifr_prose *prose);
void ifr_prose_units(struct ifr_prose *prose);
void ifr_prose_basis(struct ifr_prose *prose);
void ifr_prose_counters(struct ifr_prose *prose);

/* Whether the variants are alternatives of another tool's measurement; and the whole report of them. */
bool ifr_prose_has_alternatives(const struct ifr_analysis *analysis);
void ifr_prose_alternatives(struct ifr_prose *prose);

/* Appends "5.9 % slower than its neighbours when measured again", of a value that stands out in a sweep; and its value,
 * "stack:bytes=3184". */
void ifr_prose_spike(struct ifr_prose *prose, const struct ifr_spike *spike);
void ifr_prose_swept(struct ifr_prose *prose, const struct ifr_spike *spike);

/* The kind of layouts of the experiment: "random" or "swept". */
const char *ifr_prose_random(const struct ifr_analysis *analysis);
/* Appends a sentence about a campaign that ended early, with its plan; nothing for a complete one. kind: of its
 * layouts. modelled: the metric comes from the model, which runs nothing. */
void ifr_prose_say_partial(const struct ifr_dataset *dataset, const char *kind, bool modelled,
                           struct ifr_buffer *out);
/* "faster" or "lower", "slower" or "higher". */
const char *ifr_prose_less(const struct ifr_analysis *analysis);
const char *ifr_prose_more(const struct ifr_analysis *analysis);

/* Appends "95 % interval 1.2 % to 2.3 %"; an interval around 0 names both directions. */
void ifr_prose_interval(struct ifr_prose *prose, const struct ifr_interval *pct);

/* Whether an interval of a difference in percent includes none and is too wide to be worth its figures. */
bool ifr_prose_is_vague(const struct ifr_interval *pct, double difference_pct);
/* Appends "2 layouts do not bound it", which stands in place of an interval that is too wide. */
void ifr_prose_unbounded(struct ifr_prose *prose);

/* Appends a proportion in whole percent; one that is not quite all is "over 99 %". */
void ifr_prose_proportion(struct ifr_buffer *text, double pct);

/* Appends the command that makes a layout again, and its plan; returns false if the experiment has no plan for
 * it. */
bool ifr_prose_recipe(const struct ifr_analysis *analysis, const struct ifr_layout *layout,
                      struct ifr_buffer *code);

#endif
