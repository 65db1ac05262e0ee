/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A keeper: a process that makes mounts, keeps them during a run and ends them behind it. The program is forked from the
 * keeper, as a child of the launcher: it finds the mounts made, and its end is not theirs. Processor time, faults and
 * switches of making and ending them are the keeper's, in no figure of the run. */
#ifndef IFR_HARNESS_KEEPER_H
#define IFR_HARNESS_KEEPER_H

#include <sys/types.h>

#include "common/error.h"

/* The work of a keeper, called in its process. */
struct ifr_keeper_work {
	const char *(*mount)(void *data); /* NULL, or the purpose of what failed, with errno */
	void (*start)(void *data);        /* in the process of the program; never returns */
	void (*leave)(void *data);        /* the program is started: closes the descriptors of the run */
	void *data;
};

struct ifr_keeper {
	pid_t pid;  /* 0: none */
	int socket; /* to the keeper */
};

/* Starts a keeper and waits until its mounts are made. The caller hands it to ifr_keeper_end, after an error too. Errors:
 * IFR_E_ENVIRONMENT, with the name of the program. */
int ifr_keeper_start(struct ifr_keeper *keeper, const struct ifr_keeper_work *work, const char *program,
                     struct ifr_error *err);
/* Forks the program's process: a child of this process. Once a keeper. Its id, or -1 with errno. */
pid_t ifr_keeper_fork(const struct ifr_keeper *keeper);
/* Ends the keeper with its mounts; no effect without one. */
void ifr_keeper_end(struct ifr_keeper *keeper);

#endif
