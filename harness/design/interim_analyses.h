/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts that grow until enough is known. Private to interfero bench. */
#ifndef IFR_HARNESS_LOOKING_H
#define IFR_HARNESS_LOOKING_H

#include "harness/campaign/campaign.h"

struct looking {
	unsigned looks; /* planned, 1 at least */
	double until;   /* width of the mean's 95 % interval over the mean that is narrow enough; 0: none asked for */
	unsigned layouts; /* planned; each look has as many more */
	const char *metric;
	unsigned look; /* that is under way, from 1 */
};

/* How many layouts the first look takes. */
unsigned looking_begin(struct looking *looking, unsigned layouts);

/* After a look: the number of layouts for the next one, or 0 to end there. What ended it is said and, as a
 * warning, kept in the experiment. Sets *next also when more looks are to be. Ref: Wang and Jiménez 2011,
 * section 6.3 (100, 200, 300 layouts); Lan and DeMets 1983 (the level that looks leave); Chow and Robbins 1965
 * (ending at a width). */
int looking_judge(struct looking *looking, const char *experiment, unsigned *next, struct ifr_error *err);

#endif
