/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run on machines that differ in one critical loop, with the interactions that explain the difference. A loop that is
 * serial with another matters less once the other is shorter: where the first data cache takes longer, a larger window
 * gains more.
 * Ref: Fields et al. 2004, section 4 (tables III to V: loads of 4 cycles, issue and wakeup of 2, mispredictions of 15,
 * windows of 64 to 256). */
#ifndef IFR_HARNESS_ICOST_WHAT_IF_H
#define IFR_HARNESS_ICOST_WHAT_IF_H

#include "harness/icost/subject.h"

enum { IFR_WHAT_IF_MOST = 9 };

struct ifr_what_if_row {
	const char *change;     /* "pipeline.window=64"; "" of the machine itself */
	struct ifr_icost icost; /* dl1, win, bmisp and shalu, and their pairs */
};
struct ifr_what_if {
	struct ifr_what_if_row rows[IFR_WHAT_IF_MOST]; /* the machine itself first */
	size_t count;
	uint64_t instructions;
};

/* machine: as ifr_machine_open takes it, instead of the subject's. Errors: those of ifr_machine_open and
 * ifr_replay_plans. The caller releases the rows, after an error, too. */
int ifr_what_if_find(const struct ifr_icost_subject *subject, const char *machine, struct ifr_what_if *what_if,
                     struct ifr_error *err);
void ifr_what_if_release(struct ifr_what_if *what_if);
void ifr_what_if_text(const struct ifr_what_if *what_if, const struct ifr_icost_run *run, struct ifr_buffer *out);
void ifr_what_if_json(const struct ifr_what_if *what_if, const struct ifr_icost_run *run, struct ifr_buffer *out);

#endif
