/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads of the processes that a run starts. */
#ifndef IFR_HARNESS_PROCESS_TREE_H
#define IFR_HARNESS_PROCESS_TREE_H

#include <sys/types.h>

/* The most threads that a process has now, of a process and all that it started. 0 where the kernel does not tell. */
unsigned ifr_process_threads(pid_t process);

#endif
