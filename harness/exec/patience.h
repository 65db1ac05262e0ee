/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program's first run: how long it takes is not known, and a program that hangs is told from a slow one by the user
 * alone, who is told that it runs. */
#ifndef IFR_HARNESS_PATIENCE_H
#define IFR_HARNESS_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

struct ifr_patience {
	const char *program;                  /* as the user wrote it */
	int64_t limit_ns;                     /* of the run; 0: none */
	const char *options;                  /* that end it: "--timeout or --budget" */
	void (*say)(const char *text);        /* gets one line when a run has lasted for a while; NULL: silent */
	void (*progress)(int64_t elapsed_ns); /* called once a second from then on; NULL: no calls */
	bool said;
	int64_t shown_ns;
};

enum { IFR_PATIENCE_S = 10 };

/* Called while the run lasts, with the time since its start. */
void ifr_patience_watch(struct ifr_patience *patience, int64_t elapsed_ns);

#endif
