/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inputs of a comparison: programs, folders of variants, or experiments. */
#ifndef IFR_HARNESS_COMPARE_INPUTS_H
#define IFR_HARNESS_COMPARE_INPUTS_H

#include "common/strings.h"
#include "harness/campaign/campaign.h"
#include "harness/commands/layout_options.h"
#include "harness/store/store.h"

enum compare_input_kind { INPUT_PROGRAM, INPUT_FOLDER, INPUT_EXPERIMENT };

struct compare_input {
	const char *name; /* as the user wrote it */
	enum compare_input_kind kind;
	char *path;         /* of a program or folder, absolute */
	struct ifr_kit kit; /* of a program that has one */
	bool has_kit;
	struct ifr_strings files;   /* of a folder */
	struct ifr_dataset dataset; /* of an experiment */
};

struct compare_inputs {
	struct compare_input input[2];
	size_t count; /* 1: one experiment, which holds two programs */
	struct ifr_campaign_program programs[2];
	bool libraries; /* both are shared libraries, which a program of its own uses */
};

/* Tells the kind of each of names[count] (count 1 or 2) and loads its files or experiment. Two inputs must be of
 * one kind. Of two folders, the programs with the same name in both are taken, except v00000, the shipped layout. The
 * caller releases, also after an error. libraries: the names are of two shared libraries. Errors: IFR_E_USAGE, and those
 * of experiments. */
int compare_inputs_find(char *const *names, size_t count, bool libraries, struct compare_inputs *inputs,
                        struct ifr_error *err);
/* Finds the kits of two programs, and fits the axes to them (program_kits.h). */
int compare_inputs_find_kits(struct compare_inputs *inputs, struct layout_options *layouts, bool quiet,
                             struct ifr_error *err);
void compare_inputs_release(struct compare_inputs *inputs);

/* Puts two programs or folders into a campaign, which borrows them. */
void compare_inputs_enter(struct compare_inputs *inputs, struct ifr_campaign *campaign);

#endif
