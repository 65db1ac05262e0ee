/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A campaign fills an experiment: it makes the variants, runs them all interleaved, and records every sample. It
 * can be stopped at any moment; the same campaign on the same file goes on where it stopped.
 *
 * A campaign of two programs makes the same variants of both, under the same seeds and at paths of the same
 * length, and runs all of them with the same arguments in one random order. In its experiment, variant number i of
 * the first program has the id 2 i, of the second 2 i + 1 (harness/experiment/parts.h). */
#ifndef IFR_HARNESS_CAMPAIGN_H
#define IFR_HARNESS_CAMPAIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/strings.h"
#include "harness/design/layout_generator.h"

/* The second program of two. */
struct ifr_campaign_other {
	const char *program;       /* as it ships */
	const struct ifr_kit *kit; /* NULL: none is needed, as files are given */
};

struct ifr_campaign {
	const char *file; /* the experiment */
	const char
		*program; /* that is laid out anew, as it ships; where there are files, the folder that they are from */
	const char *library; /* the shared library to lay out anew instead, as the user wrote it; or NULL */
	const char *user;    /* the program to run where program is a shared library; NULL: itself */
	char *const *argv;   /* to run it with; argv[0] as the user wrote it */
	struct ifr_layout_generator generator;
	struct ifr_campaign_other other;    /* the second program; its program is NULL where there is one only */
	const struct ifr_strings *files[2]; /* NULL: variants are made; else of each program, for all of them, and
	                                       there is no layout that ships */
	bool seed_given;                    /* else an existing experiment's seed holds */
	unsigned variants;                  /* beside the layout that ships */
	unsigned rounds;                    /* runs of each variant */
	const char *counters;
	const char *machine; /* of the model: as ifr_machine_open takes it */
	const char *marker;  /* measure one run of this region of IFR_REPEAT; NULL: the whole program */
	int64_t budget_ns;   /* 0: none */
	int64_t timeout_ns;  /* of one run; 0: twenty times the reference, 10 s at least */
	int cpu;             /* -1: choose; -2: do not pin */
	bool keep_aslr;
	const char *stdin_file;         /* NULL: /dev/null */
	struct ifr_strings environment; /* beyond the minimal one */
	int expected_exit;
	bool ignore_output;
	bool keep_variants; /* leave FILE.variants there */

	/* Called after every run, for a progress line; may be NULL. left_ns is an estimate, -1 while there is none. */
	void (*progress)(unsigned done, unsigned planned, int64_t left_ns);
	/* Called with what is to be known beforehand, such as what making the variants costs; may be NULL. */
	void (*say)(const char *text);
};

struct ifr_campaign_result {
	unsigned runs; /* recorded by this call */
	unsigned refused_variants;
	bool complete; /* all that was planned is there */
	bool interrupted;
	char refusal[512]; /* the first refused variant and why; "" if none */
};

/* Errors: IFR_E_USAGE if the file holds another campaign; IFR_E_PROGRAM if the program fails as it ships;
 * IFR_E_ENVIRONMENT for everything of the machine. */
int ifr_campaign_run(struct ifr_campaign *campaign, struct ifr_campaign_result *result, struct ifr_error *err);

#endif
