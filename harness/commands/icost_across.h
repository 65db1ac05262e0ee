/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of interfero icost, and icost --across: which causes make layouts differ. */
#ifndef IFR_HARNESS_ICOST_ACROSS_COMMAND_H
#define IFR_HARNESS_ICOST_ACROSS_COMMAND_H

#include "harness/commands/layout_options.h"
#include "harness/commands/trace_input.h"
#include "harness/icost/icost.h"

struct icost_options {
	struct trace_input input;
	struct layout_options layouts;   /* of --across */
	const char *machine, *html;      /* html: the page's file; NULL: none */
	struct ifr_strings plans, sites; /* sites: causes that are parts of the program */
	uint32_t causes;                 /* 0: those of the machine */
	enum ifr_cause focus;            /* IFR_CAUSE_LIMIT: the largest */
	enum ifr_core_use core;
	enum icost_view { VIEW_COSTS, VIEW_ACROSS, VIEW_LINES, VIEW_WHAT_IF } view;
	struct ifr_icost_profile profile;
	bool all, json, quiet, profiles; /* profiles: costs are told from samples */
};

/* The words of a run; icost_words_release frees them. */
struct ifr_icost_run icost_words(const struct icost_options *options, const struct ifr_trace *trace);
void icost_words_release(struct ifr_icost_run *run);
/* Reads the plan, and names what is replayed; the caller releases the plan. */
int icost_begin_subject(const struct icost_options *options, struct ifr_trace *trace,
                        const struct ifr_machine *machine, struct ifr_plan *plan,
                        struct ifr_icost_subject *subject, struct ifr_error *err);
/* Views of a run: which lines bound it, and other machines. */
int icost_lines(const struct icost_options *options, struct ifr_trace *trace, const struct ifr_machine *machine,
                struct ifr_error *err);
int icost_what_if(const struct icost_options *options, struct ifr_trace *trace, const struct ifr_machine *machine,
                  struct ifr_error *err);
/* Tells why layouts differ. */
int icost_across(const struct icost_options *options, struct ifr_trace *trace, const struct ifr_machine *machine,
                 struct ifr_error *err);

#endif
