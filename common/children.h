/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The children of a process, and the processes that a run leaves when it ends, such as daemons. */
#ifndef IFR_COMMON_CHILDREN_H
#define IFR_COMMON_CHILDREN_H

#include <stddef.h>
#include <sys/types.h>

struct ifr_children {
	pid_t *pids; /* [count] */
	size_t count;
};

/* Lists the children of all threads of a process; the caller releases. Returns the number of its threads, 0 where the
 * kernel does not tell. */
unsigned ifr_children_list(pid_t process, struct ifr_children *children);
/* Makes this process the parent of all orphans below it, and lists the children that it has already. The caller
 * releases. */
void ifr_children_adopt(struct ifr_children *known);
/* Ends the children that are not known: what a run has left. Returns the number of those that would have run on. */
unsigned ifr_children_end(const struct ifr_children *known);
void ifr_children_release(struct ifr_children *children);

#endif
