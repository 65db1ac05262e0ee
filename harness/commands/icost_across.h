/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of interfero icost, and icost --across: which causes make layouts differ. */
#ifndef IFR_HARNESS_ICOST_ACROSS_COMMAND_H
#define IFR_HARNESS_ICOST_ACROSS_COMMAND_H

#include "harness/commands/layout_options.h"
#include "harness/commands/trace_input.h"
#include "harness/icost/icost.h"

struct icost_options {
	struct trace_input input;
	struct layout_options layouts; /* of --across */
	const char *machine;
	struct ifr_strings plans, sites; /* sites: causes that are parts of the program */
	uint32_t causes;                 /* 0: those of the machine */
	enum ifr_cause focus;            /* IFR_CAUSE_LIMIT: the largest */
	enum ifr_core_use core;
	bool all, across, json, quiet;
};

/* The command, or the trace. The caller frees it. */
char *icost_name_run(const struct icost_options *options);
/* Tells why layouts differ. */
int icost_across(const struct icost_options *options, struct ifr_trace *trace, const struct ifr_machine *machine,
                 struct ifr_error *err);

#endif
