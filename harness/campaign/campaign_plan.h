/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A campaign carries out a design into an experiment: it makes the variants of all programs, runs them
 * interleaved, and stores every sample.
 *
 * Its factors are the program (one, or the sides of a comparison) and the layout. All programs get the same
 * layouts, under the same seeds and at paths of the same length, and run with the same arguments in one random
 * order.
 *
 * Where a file lies in memory is a factor, too: the same bytes can run several percent slower in another copy of the
 * file, for as long as that copy lives. So every repetition runs fresh copies of all files, at the same paths. Half of
 * the layouts have a twin run on their first copy, which tells the variance of copies from that of runs.
 *
 * A campaign can be stopped at any moment; the same campaign on the same file resumes it: each step asks the
 * experiment which results it holds, and produces the others. */
#ifndef IFR_HARNESS_CAMPAIGN_PLAN_H
#define IFR_HARNESS_CAMPAIGN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/strings.h"
#include "harness/design/design.h"
#include "harness/exec/exec.h"
#include "kit/kit.h"
#include "model/model.h"

/* A program under test: a level of the factor program. */
struct ifr_campaign_program {
	const char *path;                /* the shipped program; with files, their folder */
	const struct ifr_kit *kit;       /* NULL: none; then no axis may change the file */
	const struct ifr_strings *files; /* the file of each layout from 1 on, without a shipped one; NULL: variants
	                                    are made from the kit, or are copies where no axis changes the file */
	const char *name;                /* as the user wrote it, for commands to be pasted; NULL: the path */
	const struct ifr_plan *cure; /* its axes and places are in each of the program's layouts but the shipped one,
	                                    and its axes off in those of the other programs, but for context_axes; NULL:
	                                    none */
};

/* A part of a design that several processes carry out: a chunk of the layouts in one repetition. The seed draws anew in
 * each repetition which layouts make a chunk, so that layouts can be compared across chunks. */
struct ifr_share {
	bool references; /* nothing but the reference runs */
	unsigned chunks; /* of each repetition; 0: all is measured here */
	unsigned chunk, repetition;
};

/* The chunk that a layout belongs to in a repetition. */
unsigned ifr_share_chunk(uint64_t seed, unsigned repetition, unsigned layout, unsigned chunks);

struct ifr_campaign_result;
struct ifr_cluster;
struct ifr_plan_replay;

enum { IFR_RUNS_RAISED = 10 };

struct ifr_campaign {
	const char *file; /* the experiment */
	const struct ifr_campaign_program *programs;
	unsigned program_count; /* 1 … IFR_PROGRAMS_MAX */
	const char *library;    /* the shared library to vary instead of the program, as the user wrote it; or NULL */
	const char *user;       /* the program to run where that is not the program under test: the one that uses the
	                           library, or the driver; NULL: itself */
	char *const *argv;      /* the program's arguments; argv[0] as the user wrote it */
	struct ifr_layout_generator generator;
	unsigned
		context_axes;     /* of a campaign with a cure: they vary without it as if there were none. With it, values
	                          that the cure gives take the place of theirs, and other settings all of theirs */
	bool seed_given;      /* false: an existing experiment's seed is kept */
	unsigned variants;    /* layouts, without the shipped one */
	unsigned repetitions; /* runs of each variant */
	int64_t
		least_ns; /* short runs have up to IFR_RUNS_RAISED times as many, until those of a variant last so long; by
	                         the reference run; 0: as many as planned. Not of campaigns in pieces */
	struct ifr_share share;
	/* Carries the campaign out in pieces elsewhere (cluster/cluster.h); NULL: it is carried out here. */
	int (*spread)(const struct ifr_campaign *campaign, struct ifr_campaign_result *result, struct ifr_error *err);
	/* The same for the model's replays (ifr_plan_replay). */
	int (*spread_replays)(struct ifr_plan_replay *replay, const struct ifr_plan *plans, size_t count,
	                      struct ifr_counts *counters, struct ifr_error *err);
	struct ifr_cluster *cluster;         /* for them */
	const struct ifr_executor *executor; /* of the measured runs; NULL: this machine */
	const char *counters;
	const char *metric;      /* by which the experiment is reported: it must be a counter; NULL: any */
	const char *metrics;     /* the program's own figures, as ifr_metrics_open takes them; NULL: none */
	const char *driven;      /* argv is a driver: the path at which it finds the program; NULL: it is not */
	const char *prepare;     /* a shell command before each run; NULL: none */
	unsigned warmups;        /* unmeasured runs before each measured one, of the same file */
	const char *machine;     /* of the model: as ifr_machine_open takes it */
	const char *core;        /* a name of ifr_core_use_names; NULL: sampled, where machine and axes allow it */
	const char *marker;      /* measure one run of this region of IFR_REPEAT; NULL: the whole program */
	int64_t budget_ns;       /* 0: none */
	int64_t whole_budget_ns; /* of which budget_ns is a part, as in an audit; 0: it is all */
	int64_t timeout_ns;      /* of one run; 0: twenty times the reference, 10 s at least */
	uint64_t most_recording_bytes;      /* 0: no limit */
	bool one_look;                      /* of a sweep: suspects do not run again */
	char *coarser_sweep;                /* of an experiment that this one replaces: its fact; NULL: none */
	const struct ifr_strings *siblings; /* experiments whose recordings may serve this one; NULL: none */
	int cpu;                            /* -1: choose; -2: do not pin */
	bool keep_aslr;
	const char *stdin_file;         /* NULL: /dev/null */
	struct ifr_strings environment; /* beyond the minimal one */
	int expected_exit;
	bool ignore_output;
	bool
		one_file; /* one file of each variant serves all repetitions; else each repetition has a copy of its own */
	bool files_in_contexts; /* given files run in the process contexts of the generator's layouts */
	bool no_profile;        /* do not sample where the program spends its time */
	bool keep_variants;     /* leave FILE.variants there */
	bool programs_removed;  /* in the end: reports print no command that names them */
	bool fresh;             /* the command replaces an existing experiment: ifr_campaign_set_aside */
	const char
		*options; /* of the command line, for a shell, without those for -n, -r and -o: reports print commands
	                        that continue; NULL: not known */

	/* Called after every run, for a progress line; may be NULL. left_ns is an estimate, -1 while there is none. */
	void (*progress)(unsigned done, unsigned planned, int64_t left_ns);
	/* Called a few times a second while a program is recorded, and while recordings are replayed; may be NULL. share:
	 * done, up to 1, after spent_ns. */
	void (*recording_progress)(const struct ifr_recording_progress *progress);
	void (*replay_progress)(double share, int64_t spent_ns);
	/* Called once a second where a program's first run lasts; may be NULL. */
	void (*waiting)(int64_t elapsed_ns);
	/* Called with notes for the user before long steps, such as what making the variants costs; may be NULL. */
	void (*say)(const char *text);
};

struct ifr_campaign_result {
	uint64_t seed; /* the campaign's, or the one of the existing experiment */
	unsigned runs; /* recorded by this call */
	unsigned refused_variants;
	bool complete; /* the experiment holds every planned run */
	bool measured; /* the same, but that values of the model may be missing */
	bool interrupted;
	char refusal[512];     /* the first refused variant and why; "" if none */
	bool model_is_partial; /* the budget had time for the model of some layouts only */
	bool budget_ended;     /* before there was anything to report */
	int64_t run_ns,
		two_layouts_s; /* where it was too short for two layouts: what a run takes, and a budget that has time
	                                * for two; 0: not known */
	int64_t least_ns,
		enough_s; /* where the model is partial or left out: the time that two more random layouts take,
	                             * and a budget that has time for all; 0: not known */
	char model_left_out[512]; /* why the budget had no time for the model; "" if it had, or was not asked for */
};

/* Renames an experiment to FILE~, over an earlier one, and removes its variants and recordings, so that a campaign begins
 * anew; nothing where there is no file. Errors: IFR_E_ENVIRONMENT for a file that is no experiment, which stays. */
int ifr_campaign_set_aside(const char *file, struct ifr_error *err);

/* Carries out the campaign. Errors: IFR_E_USAGE if the file holds another campaign; IFR_E_PROGRAM if the shipped
 * program fails; IFR_E_ENVIRONMENT for the machine and files. */
int ifr_campaign_run(const struct ifr_campaign *campaign, struct ifr_campaign_result *result,
                     struct ifr_error *err);

/* Carries out the campaign in parts, within one budget: after each part the rule ends the campaign or gives the total
 * number of layouts of the next part. rule NULL: one part with all layouts. */
int ifr_campaign_run_until(const struct ifr_campaign *campaign, struct ifr_stopping_rule *rule,
                           struct ifr_campaign_result *result, struct ifr_error *err);

#endif
