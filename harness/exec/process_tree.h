/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes that a run starts: how many threads they have, and those that it leaves running. */
#ifndef IFR_HARNESS_PROCESS_TREE_H
#define IFR_HARNESS_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The most threads that a process has now, of a process and all that it started. 0 where the kernel does not tell. */
unsigned ifr_process_threads(pid_t process);

/* The children of this process. */
struct ifr_children {
	pid_t *pids; /* [count] */
	size_t count;
};
/* Makes this process the parent of all orphans below it, and lists the children that it has already. The caller releases.
 */
void ifr_children_adopt(struct ifr_children *known);
void ifr_children_release(struct ifr_children *children);
/* Ends the children that are not known: what a run has left. Returns the number of those that would have run on. */
unsigned ifr_children_end(const struct ifr_children *known);

#endif
