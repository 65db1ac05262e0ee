/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's own figures, and the driver that starts the program. Private to this room. */
#ifndef IFR_HARNESS_CAMPAIGN_FIGURES_H
#define IFR_HARNESS_CAMPAIGN_FIGURES_H

#include "harness/campaign/state.h"

/* --- driver.c --- */

/* Finds out how the driver is led to variants, if there is one; behind the counters. Errors: IFR_E_USAGE for what a
 * driver would share with the program. */
int campaign_open_driver(struct campaign_state *state, struct ifr_error *err);
/* Leads the driver to the variants that are made, from an id on, where they cannot take the program's place. */
void campaign_lead_driver(struct campaign_state *state, unsigned from);
/* Fails where the driver did not start the program. */
int campaign_judge_driver(const struct campaign_state *state, bool opened, struct ifr_error *err);
/* Does what comes before a run of the variant at path: names it, runs it unmeasured, and prepares. */
int campaign_prepare_run(const struct campaign_state *state, const struct ifr_launch *launch, const char *path,
                         unsigned warmups, struct ifr_error *err);

/* --- figures.c --- */

/* Opens the plan's metrics, behind the counters, and completes the command by the arguments that they need. */
int campaign_open_metrics(struct campaign_state *state, struct ifr_error *err);
/* Takes the benchmarks and the argument that fixes iterations from an experiment that holds them. */
void campaign_adopt_figures(struct campaign_state *state);
/* Makes counters of a program's figures, and stores which there are. */
int campaign_take_benchmarks(struct campaign_state *state, unsigned program, const struct ifr_own_figures *figures,
                             struct ifr_error *err);
/* Whether two runs' benchmarks have the same iterations. */
bool campaign_same_iterations(const struct ifr_own_figures *a, const struct ifr_own_figures *b);
/* Fixes the iterations for all runs where they are chosen by the programs, or notes why not. Needs the benchmarks. */
int campaign_fix_iterations(struct campaign_state *state, bool chosen, struct ifr_error *err);
/* How a run lacks a benchmark of its program, or NULL; the text is in why. */
const char *campaign_find_missing_figure(const struct campaign_state *state, unsigned program,
                                         const struct ifr_own_figures *figures, char *why, size_t size);
/* Notes from two runs that a program chooses its iterations, and how its own figures are measured. */
int campaign_note_adaptation(struct campaign_state *state, const struct ifr_outcome *first,
                             const struct ifr_outcome *second, struct ifr_error *err);

/* --- iterations_advice.c --- */

/* Refuses at once what the recorder would find out after minutes: a program that chooses its iterations. Errors:
 * IFR_E_PROGRAM with the way to fix them that this program's framework takes. */
int campaign_check_iterations(struct campaign_state *state, struct ifr_error *err);
#endif
