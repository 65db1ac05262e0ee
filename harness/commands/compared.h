/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the user compares: programs, folders of variants, or experiments taken earlier. */
#ifndef IFR_HARNESS_SUBJECTS_H
#define IFR_HARNESS_SUBJECTS_H

#include "common/strings.h"
#include "harness/campaign/campaign.h"
#include "harness/store/store.h"

enum subject_kind { SUBJECT_PROGRAM, SUBJECT_FOLDER, SUBJECT_EXPERIMENT };

struct subject {
	const char *name; /* as the user wrote it */
	enum subject_kind kind;
	char *path;                 /* of a program or folder, absolute */
	struct ifr_kit kit;         /* of a program */
	struct ifr_strings files;   /* of a folder */
	struct ifr_dataset dataset; /* of an experiment */
};

struct subjects {
	struct subject subject[2];
	size_t count; /* 1: one experiment, of two programs */
	struct ifr_campaign_program programs[2];
};

/* Finds out what names[count], one or two, are, and loads what is needed of them. Two must be of one kind; of
 * folders, the programs that both have by the same name are taken, but not v00000, the layout that ships. The
 * caller releases, also after an error. Errors: IFR_E_USAGE and what the kits and experiments say. */
int subjects_find(char *const *names, size_t count, struct subjects *subjects, struct ifr_error *err);
void subjects_release(struct subjects *subjects);

/* Puts two programs or folders into a campaign, which borrows them. */
void subjects_enter(struct subjects *subjects, struct ifr_campaign *campaign);

#endif
